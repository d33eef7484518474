// What all loops share of an upstream: its configuration, the addresses of its servers, the TLS
// that they are met with, its counters. Immutable; made when a configuration is read.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/http_config.hpp"
#include "actors/http/upstream_config.hpp"
#include "actors/http/upstream_metrics.hpp"
#include "caf_app/loop/socket_address.hpp"
#include "caf_app/loop/tls_client_context.hpp"

namespace caf_app::http {

using address_list = std::vector<socket_address>;

struct upstream_plan {
  /// Resolves names and opens files, so it may block.
  /// @returns errc::invalid_config naming the upstream and what is wrong
  static caf::expected<std::shared_ptr<const upstream_plan>> make(const http_upstream& config,
                                                                  metrics& registry);

  /// The name that a server's certificate has to have.
  std::string tls_name(size_t server) const;

  http_upstream config;
  std::vector<address_list> addresses;           ///< by server, at least one each
  std::shared_ptr<const tls_client_context> tls; ///< null: no server has TLS
  upstream_metrics counters;
  std::optional<fpm_metrics> fpm; ///< if `status_path` is set
};

using upstream_plan_ptr = std::shared_ptr<const upstream_plan>;

/// Numeric addresses at once, names by the system's resolver, which blocks.
/// @returns at least one; errc::invalid_config
caf::expected<address_list> resolve_address(const std::string& text);

/// Tries what upstream_plan::make() would do, for all upstreams. May block.
/// @returns its first error
caf::error verify_upstreams(const http_config& config);

} // namespace caf_app::http

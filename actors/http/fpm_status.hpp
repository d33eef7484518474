// The status page of PHP-FPM (pm.status_path) as JSON, and the question for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::http {

/// Of one pool of workers.
struct fpm_status {
  uint64_t listen_queue = 0; ///< requests that wait in the backlog
  uint64_t idle = 0;         ///< workers
  uint64_t active = 0;       ///< workers

  bool operator==(const fpm_status&) const = default;
};

/// @returns nothing if it is no such page
std::optional<fpm_status> parse_fpm_status(std::string_view json);

/// The records that ask for the page at `path`, on a connection that is not kept.
std::string fpm_status_request(std::string_view path);

} // namespace caf_app::http

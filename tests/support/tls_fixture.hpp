// Servers of TLS with throw-away certificates, for suites on what is in loop/tls_*.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "caf_app/loop/tls_context.hpp"
#include "support/certificates.hpp"

struct tls_fixture {
  certificates made;

  caf_app::tls_site_options site(const std::string& host,
                                 certificates::kind type = certificates::kind::ecdsa) {
    const auto files = made.issue(host[0] == '*' ? "any" + host.substr(1) : host, {host}, type);
    return {{host}, {{files.cert, files.key}}, {}, {}, {}, {}};
  }

  static std::shared_ptr<const caf_app::tls_context>
  load(const caf_app::tls_options& options, std::optional<caf_app::tls_ticket_keys> keys = {}) {
    auto result = caf_app::tls_context::load(options, keys);
    CAF_REQUIRE(result);
    return *result;
  }

  static caf_app::tls_options with(std::vector<caf_app::tls_site_options> sites) {
    caf_app::tls_options result;
    result.sites = std::move(sites);
    return result;
  }

  std::shared_ptr<const caf_app::tls_context> simple() { return load(with({site("a.org")})); }
};

// When active checks call a server up or down: `rise` good answers, `fall` bad ones in a row. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "actors/http/upstream_config.hpp"
#include "actors/http/upstream_policy.hpp"

namespace caf_app::http {

/// One server, which counts as up until it was asked.
class health_counter {
public:
  explicit health_counter(const upstream_health& rules) : rules_(rules) {}

  /// Takes the result of a check. @returns what the server is from now on, if that has changed
  std::optional<server_health> note(server_verdict result) {
    const auto against = (result == server_verdict::good) != (health_ == server_health::up);
    streak_ = against ? streak_ + 1 : 0;
    if (streak_ < (health_ == server_health::up ? rules_.fall : rules_.rise))
      return std::nullopt;
    streak_ = 0;
    health_ = health_ == server_health::up ? server_health::down : server_health::up;
    return health_;
  }

private:
  upstream_health rules_;
  server_health health_ = server_health::up; // until somebody has looked
  size_t streak_ = 0;                        // results in a row that speak against it
};

} // namespace caf_app::http

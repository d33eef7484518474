// How requests of cached routes were answered.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "caf_app/base/metrics.hpp"

namespace caf_app::http {

enum class cache_result : uint8_t {
  hit,
  stale,       ///< a stored response past its time, by leave of RFC 5861 or of the client
  revalidated, ///< the origin said that it is still good
  miss,
  collapsed, ///< another request's fetch
  bypass,    ///< not for the cache: method, range of what is not stored, no-store
};

constexpr size_t cache_result_count = static_cast<size_t>(cache_result::bypass) + 1;

/// The label in metrics, the word in the access log: "hit".
std::string_view to_string(cache_result how);

/// Any thread.
class cache_metrics {
public:
  explicit cache_metrics(metrics& registry);

  void answered(cache_result how) const { by_result_[static_cast<size_t>(how)]->add(); }

private:
  std::array<counter*, cache_result_count> by_result_{};
};

} // namespace caf_app::http

// Bounds of the cache; the others are in base/limits.hpp.
#pragma once

#include "caf_app/base/limits.hpp"

namespace caf_app::limits::http {

inline constexpr uint64_t cache_object_bytes = 1 * mib; ///< content of one response
inline constexpr size_t cache_variants = 16;            ///< per URL
inline constexpr seconds cache_lock_timeout{5};         ///< nginx: proxy_cache_lock_timeout
inline constexpr hours cache_heuristic_max{24};         ///< RFC 9111 §4.2.2: warn above a day

static_assert(cache_lock_timeout < timeout, "who waits in vain still has time to ask");

} // namespace caf_app::limits::http

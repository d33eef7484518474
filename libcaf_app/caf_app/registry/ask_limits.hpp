// Bounds of asks and of names on their way, beside those of base/limits.hpp.
#pragma once

#include <chrono>
#include <cstddef>

namespace caf_app::limits::registry {

/// An ask that is open for so long has its target watched.
inline constexpr std::chrono::milliseconds target_check{100};

/// Remembered answers of one actor to requests that may come twice.
inline constexpr size_t dedupe_entries_max = 10'000;

/// Between two tries of an ask that is repeated until it succeeds.
inline constexpr std::chrono::milliseconds retry_interval{50};

/// So long after it was freed a cluster name is probably on its way to another node.
inline constexpr std::chrono::seconds name_moves_for{10};

} // namespace caf_app::limits::registry

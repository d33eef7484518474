// Durations and sizes as people write them: "500ms", "5s", "2m", "12h" and "64KiB", "1MiB". Used by
// the configuration, the command line and the field Request-Timeout; both ways, so that what is
// printed can be read again.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <caf/expected.hpp>

namespace caf_app {

/// Reads digits followed by one unit of `ms`, `s`, `m`, `h`; no sign, no fraction, no blank.
/// @returns errc::invalid_argument with what was found and what would do
caf::expected<std::chrono::milliseconds> parse_duration(std::string_view text);

/// In the largest unit that divides it: 90 s is "90s", 120 s is "2m", zero is "0s".
std::string format_duration(std::chrono::milliseconds duration);

/// Reads digits followed by nothing or `B` (bytes), `KiB`, `MiB` or `GiB`, that is powers of 1024.
/// @returns errc::invalid_argument; "64KB" and "64k" too, because people disagree on what they mean
caf::expected<uint64_t> parse_size(std::string_view text);

/// In the largest unit that divides it: 65536 is "64KiB", 1000 is "1000B".
std::string format_size(uint64_t bytes);

} // namespace caf_app

#include "caf_app/base/units.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>

#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app {

namespace {

struct unit {
  std::string_view name;
  uint64_t factor;
};

constexpr std::array duration_units{unit{"h", 3'600'000}, unit{"m", 60'000}, unit{"s", 1000},
                                    unit{"ms", 1}};

constexpr std::array size_units{unit{"GiB", 1024 * limits::mib}, unit{"MiB", limits::mib},
                                unit{"KiB", limits::kib}, unit{"B", 1}};

/// Digits and what follows them; no value: there are none, or too many for 64 bits.
struct split_text {
  std::optional<uint64_t> number;
  std::string_view unit;
};

split_text split(std::string_view text) {
  uint64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, failed] = std::from_chars(text.data(), end, number);
  if (failed != std::errc{})
    return {std::nullopt, text};
  return {number, text.substr(static_cast<size_t>(rest - text.data()))};
}

template <size_t N>
std::optional<uint64_t> scale(split_text parts, const std::array<unit, N>& units, uint64_t max) {
  if (!parts.number)
    return std::nullopt;
  for (const auto& [name, factor] : units)
    if (parts.unit == name && *parts.number <= max / factor)
      return *parts.number * factor;
  return std::nullopt;
}

template <size_t N>
std::string format(uint64_t value, const std::array<unit, N>& units) {
  for (const auto& [name, factor] : units)
    if (value >= factor && value % factor == 0)
      return std::to_string(value / factor).append(name);
  return {};
}

caf::error refuse(std::string_view text, std::string_view wanted) {
  return caf::make_error(errc::invalid_argument,
                         "found \"" + std::string{text} + "\", expected " + std::string{wanted});
}

} // namespace

caf::expected<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr uint64_t max = std::numeric_limits<int64_t>::max();
  if (const auto value = scale(split(text), duration_units, max))
    return std::chrono::milliseconds{*value};
  return refuse(text, "a duration such as \"500ms\", \"5s\", \"2m\" or \"12h\"");
}

std::string format_duration(std::chrono::milliseconds duration) {
  if (duration.count() < 0)
    return "-" + format_duration(-duration);
  const auto text = format(static_cast<uint64_t>(duration.count()), duration_units);
  return text.empty() ? "0s" : text;
}

caf::expected<uint64_t> parse_size(std::string_view text) {
  constexpr uint64_t max = std::numeric_limits<int64_t>::max();
  auto parts = split(text);
  if (parts.number && parts.unit.empty())
    parts.unit = "B";
  if (const auto value = scale(parts, size_units, max))
    return *value;
  return refuse(text, "a size such as \"512B\", \"64KiB\", \"1MiB\" or plain bytes");
}

std::string format_size(uint64_t bytes) {
  const auto text = format(bytes, size_units);
  return text.empty() ? "0B" : text;
}

} // namespace caf_app

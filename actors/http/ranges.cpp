#include "actors/http/ranges.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

constexpr auto saturated = std::numeric_limits<uint64_t>::max();

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

// Numbers too large for 64 bits are valid and beyond any file.
uint64_t number(std::string_view digits) {
  uint64_t result = 0;
  for (const auto c : digits) {
    const auto digit = static_cast<uint64_t>(c - '0');
    if (result > (saturated - digit) / 10)
      return saturated;
    result = result * 10 + digit;
  }
  return result;
}

bool less(std::string_view left, std::string_view right) {
  left = without_zeros(left);
  right = without_zeros(right);
  return left.size() != right.size() ? left.size() < right.size() : left < right;
}

enum class spec_kind : uint8_t { malformed, unsatisfiable, all, part };

struct spec {
  spec_kind kind = spec_kind::malformed;
  byte_range range;
};

spec suffix_spec(std::string_view digits, uint64_t size) {
  if (!all_digits(digits))
    return {};
  const auto length = std::min(number(digits), size);
  if (number(digits) == 0)
    return {spec_kind::unsatisfiable, {}};
  if (size == 0) // there is nothing to send in part
    return {spec_kind::all, {}};
  return {spec_kind::part, {size - length, size - 1}};
}

spec read_spec(std::string_view text, uint64_t size) {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos)
    return {};
  const auto first = text.substr(0, dash);
  const auto last = text.substr(dash + 1);
  if (first.empty())
    return suffix_spec(last, size);
  if (!all_digits(first) || (!last.empty() && !all_digits(last)))
    return {};
  if (!last.empty() && less(last, first))
    return {};
  if (number(first) >= size)
    return {spec_kind::unsatisfiable, {}};
  const auto end = last.empty() ? size - 1 : std::min(number(last), size - 1);
  return {spec_kind::part, {number(first), end}};
}

bool overlap(const byte_range& left, const byte_range& right) {
  return left.first <= right.last && right.first <= left.last;
}

// RFC 9110 §14.2 names these sets as the mark of an attack or a broken client.
bool costs_too_much(const std::vector<byte_range>& ranges, uint64_t size) {
  uint64_t total = 0;
  size_t overlapping = 0;
  for (const auto& range : ranges) {
    total += range.size(); // at most 16 times a file size, no overflow below 2^60
    for (const auto& other : ranges)
      if (&other != &range && overlap(range, other)) {
        ++overlapping;
        break;
      }
  }
  return total > size || overlapping > 2;
}

std::optional<std::string_view> byte_specs(std::string_view value) {
  value = trim_blanks(value);
  const auto equals = value.find('=');
  if (equals == std::string_view::npos || !equals_ignoring_case(value.substr(0, equals), "bytes"))
    return std::nullopt;
  return value.substr(equals + 1);
}

} // namespace

range_selection select_ranges(std::string_view value, uint64_t size) {
  const auto specs = byte_specs(value);
  if (!specs)
    return {};
  range_selection result;
  size_t seen = 0;
  auto rest = *specs;
  while (const auto member = next_list_element(rest)) {
    const auto found = read_spec(*member, size);
    if (found.kind == spec_kind::malformed || found.kind == spec_kind::all || ++seen > ranges_max)
      return {};
    if (found.kind == spec_kind::part)
      result.ranges.push_back(found.range);
  }
  if (seen == 0)
    return {};
  if (result.ranges.empty())
    return {range_outcome::unsatisfiable, {}};
  if (result.ranges.size() > 1 && costs_too_much(result.ranges, size))
    return {};
  result.outcome = range_outcome::satisfiable;
  return result;
}

std::string content_range(const byte_range& part, uint64_t size) {
  return "bytes " + std::to_string(part.first) + '-' + std::to_string(part.last) + '/' +
         std::to_string(size);
}

std::string unsatisfied_range(uint64_t size) { return "bytes */" + std::to_string(size); }

multipart_body::multipart_body(const std::vector<byte_range>& ranges, uint64_t representation_size,
                               std::string_view type, std::string_view boundary) {
  for (const auto& range : ranges) {
    std::string head = parts.empty() ? "--" : "\r\n--";
    head.append(boundary).append("\r\n");
    if (!type.empty())
      head.append("Content-Type: ").append(type).append("\r\n");
    head.append("Content-Range: ").append(content_range(range, representation_size));
    head.append("\r\n\r\n");
    size += head.size() + range.size();
    parts.push_back({std::move(head), range});
  }
  tail.append("\r\n--").append(boundary).append("--\r\n");
  size += tail.size();
}

} // namespace caf_app::http

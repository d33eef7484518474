// What wire_writer and wire_reader have to agree on beside the order of bytes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "caf_app/base/error.hpp"

namespace caf_app::wire_format {

/// How a long double is written: this byte, bit 7 set if negative, and for `finite` an exponent of
/// 32 and a mantissa of 64 bits.
enum class real_kind : uint8_t { zero, finite, infinite, not_a_number };

/// -0 is `zero`, with the sign bit.
inline real_kind kind_of(long double x) {
  if (std::isnan(x))
    return real_kind::not_a_number;
  if (std::isinf(x))
    return real_kind::infinite;
  return x == 0 ? real_kind::zero : real_kind::finite;
}

/// Messages in messages, containers in containers: as deep as this and no deeper, so that no peer
/// can exhaust our stack.
inline constexpr size_t nesting_max = 32;

/// @param name of a message: "@<>" and, for each element, '+' and the name of its type
/// @returns whether it holds a type that reaches into CAF's internals of the receiver: a group
/// (loading one spawns actors) or a part of a stream
inline bool names_refused_type(std::string_view name) {
  while (!name.empty()) {
    const auto end = name.find('+');
    const auto type = name.substr(0, end);
    if (type == "@group" || type == "@group_down" || type == "@open_stream_msg" ||
        type == "@upstream_msg" || type == "@downstream_msg")
      return true;
    if (end == std::string_view::npos)
      return false;
    name.remove_prefix(end + 1);
  }
  return false;
}

} // namespace caf_app::wire_format

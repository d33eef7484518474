// Bytes as text, for lines between a node and its instances.
#pragma once

#include <charconv>
#include <string>
#include <string_view>

namespace caf_app {

/// Two digits a byte, lower case.
inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  for (const unsigned char each : bytes) {
    result += digits[each >> 4];
    result += digits[each & 0xf];
  }
  return result;
}

/// @returns an empty text for what is no hex
inline std::string from_hex(std::string_view text) {
  std::string result;
  for (; text.size() >= 2; text.remove_prefix(2)) {
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 2, byte, 16);
    if (error != std::errc{} || end != text.data() + 2)
      return {};
    result += static_cast<char>(byte);
  }
  return text.empty() ? result : std::string{};
}

} // namespace caf_app

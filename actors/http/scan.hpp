// Byte classes, and the searches that dominate the cost of a request head. Internal to the codecs.
#pragma once

#include <array>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace caf_app::http::scan {

/// What a byte may be part of.
enum : uint8_t {
  tchar = 1,       ///< a token, RFC 9110 §5.6.2
  target = 2,      ///< a request target: visible ASCII but '#'
  host = 4,        ///< a name in Host as we accept it: letters, digits, '-', '.', '_'
  unreserved = 8,  ///< RFC 3986 §2.3
  path_plain = 16, ///< in a path, never a reason to look twice: all but '%', '\\', '/' and '.'
};

/// For each byte the classes that it is in.
constexpr std::array<uint8_t, 256> classes = [] {
  std::array<uint8_t, 256> result{};
  const auto add = [&](unsigned char c, unsigned bits) {
    result[c] = static_cast<uint8_t>(result[c] | bits);
  };
  for (unsigned c = 0x21; c < 0x7f; ++c)
    if (c != '#')
      add(static_cast<unsigned char>(c), target | path_plain);
  for (unsigned c = '0'; c <= '9'; ++c)
    add(static_cast<unsigned char>(c), tchar | host | unreserved);
  for (unsigned c = 'a'; c <= 'z'; ++c) {
    add(static_cast<unsigned char>(c), tchar | host | unreserved);
    add(static_cast<unsigned char>(c - 'a' + 'A'), tchar | host | unreserved);
  }
  for (char c : {'!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~'})
    add(static_cast<unsigned char>(c), tchar);
  for (char c : {'-', '.', '_'})
    add(static_cast<unsigned char>(c), host);
  for (char c : {'-', '.', '_', '~'})
    add(static_cast<unsigned char>(c), unreserved);
  for (char c : {'%', '\\', '/', '.'})
    result[static_cast<unsigned char>(c)] &= static_cast<uint8_t>(~path_plain);
  return result;
}();

inline bool is(char c, uint8_t class_bits) noexcept {
  return (classes[static_cast<unsigned char>(c)] & class_bits) != 0;
}

/// @returns the first byte that is not in the class, or `end`
inline const char* skip(const char* at, const char* end, uint8_t class_bits) noexcept {
  while (at != end && is(*at, class_bits))
    ++at;
  return at;
}

/// Optional whitespace, RFC 9110 §5.6.3.
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

/// A control byte that no field value may have (HTAB may).
inline bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && byte != '\t') || byte == 0x7f;
}

/// @returns the first control byte but HTAB, or `end`
inline const char* find_control(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
  const auto last_control = _mm_set1_epi8(0x1f);
  const auto tab = _mm_set1_epi8('\t');
  const auto del = _mm_set1_epi8(0x7f);
  for (; end - at >= 16; at += 16) {
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto low = _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes); // unsigned <= 0x1f
    const auto bad =
        _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(bytes, tab), low), _mm_cmpeq_epi8(bytes, del));
    if (const auto mask = _mm_movemask_epi8(bad))
      return at + __builtin_ctz(static_cast<unsigned>(mask));
  }
#endif
  while (at != end && !is_control(*at))
    ++at;
  return at;
}

} // namespace caf_app::http::scan

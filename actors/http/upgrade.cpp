#include "actors/http/upgrade.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace caf_app::http {

namespace {

constexpr size_t digest_bytes = 20;
constexpr size_t block_bytes = 64;
constexpr size_t key_bytes = 24; // 16 bytes in base64

using digest = std::array<uint8_t, digest_bytes>;

void take_block(std::array<uint32_t, 5>& state, const uint8_t* block) {
  std::array<uint32_t, 80> w;
  for (size_t i = 0; i < 16; ++i)
    w[i] = uint32_t{block[4 * i]} << 24 | uint32_t{block[4 * i + 1]} << 16 |
           uint32_t{block[4 * i + 2]} << 8 | block[4 * i + 3];
  for (size_t i = 16; i < w.size(); ++i)
    w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  auto [a, b, c, d, e] = state;
  for (size_t i = 0; i < w.size(); ++i) {
    const auto [f, k] = i < 20   ? std::pair{(b & c) | (~b & d), 0x5a827999U}
                        : i < 40 ? std::pair{b ^ c ^ d, 0x6ed9eba1U}
                        : i < 60 ? std::pair{(b & c) | (b & d) | (c & d), 0x8f1bbcdcU}
                                 : std::pair{b ^ c ^ d, 0xca62c1d6U};
    const auto next = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  state = {state[0] + a, state[1] + b, state[2] + c, state[3] + d, state[4] + e};
}

// SHA-1 (RFC 3174), which RFC 6455 asks for as a checksum, not for its strength.
digest sha1(std::string text) {
  const auto bits = uint64_t{text.size()} * 8;
  text += '\x80';
  while (text.size() % block_bytes != block_bytes - 8)
    text += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    text += static_cast<char>(bits >> shift & 0xff);
  std::array<uint32_t, 5> state{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (size_t at = 0; at < text.size(); at += block_bytes)
    take_block(state, reinterpret_cast<const uint8_t*>(text.data()) + at);
  digest result;
  for (size_t i = 0; i < digest_bytes; ++i)
    result[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return result;
}

// Of 20 bytes: 26 digits and two signs, the last of which pads.
std::string base64(const digest& bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string result;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](size_t n) { return n < bytes.size() ? uint32_t{bytes[n]} : 0; };
    const auto group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    for (int shift = 18; shift >= 0; shift -= 6)
      result += digits[group >> shift & 63];
  }
  result.back() = '=';
  return result;
}

bool is_key(std::string_view text) {
  if (text.size() != key_bytes || !text.ends_with("=="))
    return false;
  for (const auto c : text.substr(0, key_bytes - 2))
    if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
          c == '/'))
      return false;
  return true;
}

bool is_websocket(std::string_view protocol) { return equals_ignoring_case(protocol, "websocket"); }

// "name" or "name/version", and none that would be HTTP again.
bool is_protocol(std::string_view text) {
  const auto slash = text.find('/');
  const auto name = text.substr(0, slash);
  return is_token(name) && (slash == std::string_view::npos || is_token(text.substr(slash + 1))) &&
         !equals_ignoring_case(name, "h2c") && !equals_ignoring_case(name, "http") &&
         !equals_ignoring_case(name, "tls");
}

} // namespace

upgrade_wish find_upgrade(const request_view& request) {
  const auto& fields = *request.fields;
  if (request.method != method::get || request.version != "1.1" || request.has_body ||
      !fields.has(known_field::upgrade) || fields.is_repeated(known_field::upgrade) ||
      !fields.has_token(known_field::connection, "upgrade"))
    return {};
  const auto protocol = fields.first(known_field::upgrade);
  if (!is_protocol(protocol))
    return {};
  const auto* key = fields.find("sec-websocket-key");
  if (!is_websocket(protocol))
    return {std::string{protocol}, {}};
  if (!key || !is_key(key->value))
    return {};
  return {std::string{protocol}, std::string{key->value}};
}

std::string websocket_accept(std::string_view key) {
  return base64(sha1(std::string{key} + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"));
}

bool grants(const h1_response& response, const upgrade_wish& wish) {
  const auto& fields = response.fields;
  // Upgrade is of HTTP/1.1 (RFC 9110 §7.8), and a length with it (§8.6) leaves open what follows.
  if (response.minor_version == 0 || response.has_length ||
      fields.has(known_field::transfer_encoding))
    return false;
  if (!wish || response.status != 101 || fields.is_repeated(known_field::upgrade) ||
      !fields.has_token(known_field::connection, "upgrade") ||
      !equals_ignoring_case(fields.first(known_field::upgrade), wish.protocol))
    return false;
  if (!is_websocket(wish.protocol))
    return true;
  const auto wanted = websocket_accept(wish.key);
  size_t right = 0;
  for (const auto& line : fields)
    if (equals_ignoring_case(line.name, "sec-websocket-accept")) {
      if (line.value != wanted)
        return false;
      ++right;
    }
  return right == 1;
}

} // namespace caf_app::http

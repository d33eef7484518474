// Which protocol a client speaks, by its first bytes.
#pragma once

#include <cstdint>
#include <string_view>

namespace caf_app::http {

enum class greeting : uint8_t {
  unclear, ///< more bytes are needed
  h1,
  h2,  ///< the preface of HTTP/2 (RFC 9113 §3.4); no method of HTTP/1 begins like it
  tls, ///< a handshake record (RFC 8446 §5.1)
};

/// The answer never changes with what follows, once it is not `unclear`.
constexpr greeting recognise(std::string_view bytes) noexcept {
  constexpr std::string_view preface = "PRI ";
  constexpr char handshake = 0x16;
  if (bytes.empty())
    return greeting::unclear;
  if (bytes.front() == handshake)
    return greeting::tls;
  if (bytes.substr(0, preface.size()) == preface)
    return greeting::h2;
  return preface.substr(0, bytes.size()) == bytes ? greeting::unclear : greeting::h1;
}

/// Whether cleartext HTTP begins like that, as opposed to broken TLS.
constexpr bool looks_like_text(std::string_view bytes) noexcept {
  return !bytes.empty() && bytes.front() >= 'A' && bytes.front() <= 'Z';
}

} // namespace caf_app::http

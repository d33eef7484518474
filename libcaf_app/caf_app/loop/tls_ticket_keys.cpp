#include "caf_app/loop/tls_ticket_keys.hpp"

#include <algorithm>

#include <openssl/rand.h>

namespace caf_app {

namespace {

template <size_t Size>
bool fill_random(std::array<char, Size>& bytes) {
  return RAND_priv_bytes(reinterpret_cast<unsigned char*>(bytes.data()), Size) == 1;
}

} // namespace

std::optional<tls_ticket_keys> tls_ticket_keys::random() {
  tls_ticket_keys result;
  if (!fill_random(result.bytes_))
    return std::nullopt;
  return result;
}

std::optional<tls_ticket_keys> tls_ticket_keys::from_bytes(std::string_view bytes) {
  if (bytes.size() != key_bytes && bytes.size() != ring_bytes)
    return std::nullopt;
  tls_ticket_keys result;
  for (size_t at = 0; at < ring_bytes; at += bytes.size())
    std::copy(bytes.begin(), bytes.end(), result.bytes_.begin() + static_cast<ptrdiff_t>(at));
  return result;
}

std::optional<tls_ticket_keys> tls_ticket_keys::rotated(std::string_view fresh) const {
  if (fresh.size() != key_bytes)
    return std::nullopt;
  return from_bytes(to_bytes().substr(key_bytes).append(fresh));
}

std::optional<tls_ticket_keys> tls_ticket_keys::rotated() const {
  std::array<char, key_bytes> fresh;
  if (!fill_random(fresh))
    return std::nullopt;
  return rotated(std::string_view{fresh.data(), fresh.size()});
}

tls_ticket_keys::key tls_ticket_keys::at(size_t place) const {
  const auto bytes = std::string_view{bytes_.data(), bytes_.size()}.substr(place * key_bytes);
  return {bytes.substr(0, 16), bytes.substr(16, 32), bytes.substr(48, 32)};
}

std::optional<tls_ticket_keys::key> tls_ticket_keys::find(std::string_view name) const {
  for (const size_t place : {1, 0, 2})
    if (at(place).name == name)
      return at(place);
  return std::nullopt;
}

} // namespace caf_app

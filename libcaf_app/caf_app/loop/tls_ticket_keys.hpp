// The keys of TLS session tickets: a ring of three that all instances of a host share, so that a
// client may resume with any of them. Tickets are sealed with the current key; those of the
// previous one are still good, and those of the next one already are, because instances do not
// rotate at the same moment. A value without a clock: who owns the ring decides when it turns.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app {

/// A value; copies are equal rings.
class tls_ticket_keys {
public:
  static constexpr size_t key_bytes = 80;
  static constexpr size_t ring_bytes = 3 * key_bytes;

  /// Views into the ring.
  struct key {
    std::string_view name;   ///< 16 bytes, sent in the clear
    std::string_view cipher; ///< 32 bytes of AES-256-CBC
    std::string_view mac;    ///< 32 bytes of HMAC-SHA256
  };

  /// A fresh ring from the random generator of OpenSSL; nullopt if that fails.
  static std::optional<tls_ticket_keys> random();

  /// @param bytes 240: previous, current, next; 80: that key in all three places
  /// @returns nullopt for any other size
  static std::optional<tls_ticket_keys> from_bytes(std::string_view bytes);

  /// What from_bytes reads. Secret: only for links between processes of one host.
  std::string to_bytes() const { return {bytes_.data(), bytes_.size()}; }

  /// The ring after one turn: next becomes current, `fresh` (80 random bytes) next.
  std::optional<tls_ticket_keys> rotated(std::string_view fresh) const;

  /// The same with bytes from OpenSSL.
  std::optional<tls_ticket_keys> rotated() const;

  /// Seals new tickets.
  key current() const { return at(1); }

  /// The key of that name; nullopt if the ticket is older than the ring.
  std::optional<key> find(std::string_view name) const;

private:
  tls_ticket_keys() = default;
  key at(size_t place) const;

  std::array<char, ring_bytes> bytes_{};
};

} // namespace caf_app

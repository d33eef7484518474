// The certificates of the web tier: loads what a configuration names into a tls_context, and keeps
// the keys of session tickets, which outlive configurations and turn on their own. Instances that
// share a host follow the ring of one of them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <caf/expected.hpp>

#include "actors/http/http_config.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/loop/tls_context.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::http {

using tls_context_ptr = std::shared_ptr<tls_context>;

/// @returns whether the configuration names a certificate anywhere
bool has_certificates(const http_config& config);

/// The certificates in use, and the ring: previous, current and next key of session tickets.
class certificates {
public:
  /// What a configuration names, read and ready to be used.
  struct loaded {
    tls_context_ptr context;              ///< null: no certificate
    std::optional<tls_ticket_keys> ring;  ///< of `ticket_key_file`
    std::chrono::milliseconds rotation{}; ///< `ticket_rotate`
  };

  /// Draws the first ring, or reads it from `ticket_key_file`, and loads everything.
  /// @returns errc::invalid_config naming the file and the reason; errc::start_failed without
  /// random bytes
  static caf::expected<std::shared_ptr<certificates>> make(const http_config& config,
                                                           steady::time_point now);

  /// Reads what a configuration names. Nothing changes yet.
  caf::expected<loaded> load(const http_config& config) const;

  /// Goes over to what load() has returned. Any thread.
  void use(loaded next);

  /// What new handshakes use; null: no certificate. Any thread.
  tls_context_ptr current() const;

  /// Turns the ring if it is due. Any thread.
  void rotate(steady::time_point now);

  /// How long until the next look at the ring makes sense.
  std::chrono::milliseconds rotation() const;

  /// The ring, for instances that shall follow this one: tls_ticket_keys::to_bytes(). Secret.
  std::string ring() const;

  /// Takes over the ring of another instance, which turns it from now on.
  /// @returns false for bytes that are no ring
  bool follow(std::string_view ring);

private:
  explicit certificates(tls_ticket_keys ring) : ring_(std::move(ring)) {}

  void show_ring() const;

  mutable std::mutex mutex_; // guards all below
  tls_context_ptr context_;
  tls_ticket_keys ring_;
  std::chrono::milliseconds rotation_{};
  steady::time_point rotated_;
  bool from_file_ = false; // the ring is the operator's
  bool follows_ = false;   // the ring is another instance's
};

/// Turns the ring of ticket keys in time. Its parent supervises it like any worker; a ring that
/// turns late does no harm.
caf::behavior certificates_actor(named_actor<"http.certificates">* self,
                                 std::shared_ptr<certificates> keys);

} // namespace caf_app::http

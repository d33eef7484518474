// What a client of TLS trusts and shows: for upstreams and for tests. Immutable, shared by
// sessions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "caf_app/loop/tls_context.hpp"

namespace caf_app {

/// What a client wants to know of its server.
enum class tls_verify : uint8_t {
  peer, ///< chain and name of the server have to be valid
  none, ///< encrypted, but with whom is not known
};

/// Paths are read by load() only.
struct tls_client_options {
  tls_verify verify = tls_verify::peer;
  std::string ca;                ///< PEM of trusted authorities; empty: those of the system
  tls_key_pair key_pair;         ///< shown when asked for; empty: none
  std::vector<std::string> alpn; ///< empty: no ALPN
  tls_version min_version = tls_version::v1_2;
  tls_version max_version = tls_version::v1_3;
};

/// Immutable once loaded, any thread.
class tls_client_context {
public:
  /// Errors have code `invalid_config` and name the file and the reason.
  static caf::expected<std::shared_ptr<const tls_client_context>>
  load(const tls_client_options& options);

  ~tls_client_context();
  tls_client_context(const tls_client_context&) = delete;
  tls_client_context& operator=(const tls_client_context&) = delete;

  /// A new session of OpenSSL; for tls_session.
  /// @param name sent as SNI and, unless verify is `none`, looked for in the certificate
  ssl_st* new_ssl(const std::string& name) const;

private:
  tls_client_context() = default;

  ssl_ctx_st* ssl_ = nullptr;
  tls_verify verify_ = tls_verify::peer;
};

} // namespace caf_app

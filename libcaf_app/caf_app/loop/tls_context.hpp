// Certificates and policy of a server's TLS, loaded once per configuration and shared, immutable
// but for its ticket keys, by all sessions: TLS 1.2 with ECDHE and AEAD, TLS 1.3, our order, no
// renegotiation, no compression. RFC 5246, 8446, 7301 (ALPN), 6066 (SNI, OCSP), 5077 (tickets).
//
// A site is chosen by SNI before anything else of the ClientHello is looked at: its certificates,
// its rule for client certificates and its session id context. Exact names win over wildcards.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/expected.hpp>

#include "caf_app/loop/tls_ticket_keys.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace caf_app {

/// Whether clients have to show a certificate.
enum class tls_client_auth : uint8_t {
  none,
  request, ///< a certificate that is sent has to be valid
  require,
};

/// What becomes of a client that names no site of ours, or none at all.
enum class tls_unknown_name : uint8_t {
  first_site, ///< a client with an unknown SNI gets the first site
  reject,     ///< it gets the alert unrecognized_name
};

/// Versions in their order.
enum class tls_version : uint8_t { v1_2, v1_3 };

/// PEM files of one certificate with its chain, and of its key.
struct tls_key_pair {
  std::string cert;
  std::string key;
};

/// One site, as configured.
struct tls_site_options {
  std::vector<std::string> hosts;      ///< "a.org", "*.a.org" (one or more labels), "*"
  std::vector<tls_key_pair> key_pairs; ///< at least one; one per kind of key (ECDSA, RSA)
  tls_client_auth client_auth = tls_client_auth::none;
  std::string client_ca;  ///< PEM; required unless `none`
  std::string client_crl; ///< PEM; empty: no revocation
  std::string ocsp_file;  ///< DER; empty: no stapling
};

/// What load() reads.
struct tls_options {
  std::vector<tls_site_options> sites; ///< at least one
  tls_version min_version = tls_version::v1_2;
  std::string ciphers; ///< of TLS 1.2 in OpenSSL's notation; empty: ECDHE and AEAD
  std::string curves = "X25519:P-256:P-384";
  std::vector<std::string> alpn{"h2", "http/1.1"}; ///< ours first
  tls_unknown_name unknown_name = tls_unknown_name::first_site;
};

/// Which of a context's sites a session belongs to.
struct tls_site {
  std::vector<std::string> hosts;
  tls_client_auth client_auth = tls_client_auth::none;
  std::string client_ca; ///< file, to compare policies
};

/// Made by load(). Any thread.
class tls_context {
public:
  /// Reads all files. Errors have code `invalid_config` and name the file and the reason.
  /// @param tickets nullopt: no session tickets
  static caf::expected<std::shared_ptr<tls_context>>
  load(const tls_options& options, const std::optional<tls_ticket_keys>& tickets);

  ~tls_context();
  tls_context(const tls_context&) = delete;
  tls_context& operator=(const tls_context&) = delete;

  /// Replaces the ring; new handshakes use it. Any thread.
  void set_ticket_keys(const tls_ticket_keys& keys);

  /// The index of the site for a name as sent in SNI, in any case; nullopt if none has it.
  std::optional<size_t> find_site(std::string_view name) const;

  /// Whether a connection that was made for `site` may carry requests for `host`: not if the site
  /// of that host asks clients for other certificates.
  bool serves(size_t site, std::string_view host) const;

  /// @param index below the number of configured sites
  const tls_site& site(size_t index) const { return sites_[index].shown; }

  /// A new session of OpenSSL for the first site; for tls_session.
  ssl_st* new_ssl() const;

private:
  struct loaded_site {
    tls_site shown;
    ssl_ctx_st* ssl = nullptr;
    std::string ocsp;                 // DER
    std::vector<std::string> serials; // of the certificates that it speaks of
  };

  struct callbacks;

  tls_context() = default;
  caf::error load_site(const tls_site_options& site, const tls_options& options);
  void index_hosts();

  std::vector<loaded_site> sites_;
  std::unordered_map<std::string, size_t> exact_;
  std::unordered_map<std::string, size_t> wildcard_; // by what follows "*."
  std::optional<size_t> any_;
  std::string alpn_; // in wire format
  tls_unknown_name unknown_name_ = tls_unknown_name::first_site;
  bool tickets_on_ = false;
  std::atomic<std::shared_ptr<const tls_ticket_keys>> tickets_;
};

} // namespace caf_app

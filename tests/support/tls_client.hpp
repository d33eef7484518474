// A TLS client of plain OpenSSL in memory, for suites that test a tls_session against something
// that is not ours.
#pragma once

#include <string>
#include <string_view>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "caf_app/loop/tls_session.hpp"

class tls_client {
public:
  explicit tls_client(const std::string& name = {}) : context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context_, [](SSL* ssl, SSL_SESSION* session) {
      auto& self = *static_cast<tls_client*>(SSL_get_app_data(ssl));
      SSL_SESSION_free(self.session_);
      self.session_ = session;
      return 1;
    });
    ssl = SSL_new(context_);
    SSL_set_app_data(ssl, this);
    SSL_set_bio(ssl, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    BIO_set_mem_eof_return(SSL_get_rbio(ssl), -1);
    BIO_set_mem_eof_return(SSL_get_wbio(ssl), -1);
    SSL_set_connect_state(ssl);
    if (!name.empty())
      SSL_set_tlsext_host_name(ssl, name.c_str());
  }

  tls_client(const tls_client&) = delete;
  tls_client& operator=(const tls_client&) = delete;

  ~tls_client() {
    SSL_SESSION_free(session_);
    // A connection that was not shut down would take its session with it.
    SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(ssl);
    SSL_CTX_free(context_);
  }

  /// Offers these protocols.
  tls_client& alpn(const std::vector<std::string>& names) {
    std::string wire;
    for (const auto& each : names)
      wire.append(1, static_cast<char>(each.size())).append(each);
    SSL_set_alpn_protos(ssl, reinterpret_cast<const unsigned char*>(wire.data()),
                        static_cast<unsigned int>(wire.size()));
    return *this;
  }

  /// Shows a certificate.
  tls_client& shows(const std::string& cert, const std::string& key) {
    SSL_use_certificate_file(ssl, cert.c_str(), SSL_FILETYPE_PEM);
    SSL_use_PrivateKey_file(ssl, key.c_str(), SSL_FILETYPE_PEM);
    return *this;
  }

  tls_client& resumes(const tls_client& other) {
    auto* copy = SSL_SESSION_dup(other.session_); // a session that was used may not be used again
    SSL_set_session(ssl, copy);
    SSL_SESSION_free(copy);
    return *this;
  }

  /// Exchanges bytes with `server` in slices of at most `slice` until neither has any left.
  void talk(caf_app::tls_session& server, size_t slice = std::string::npos) {
    for (auto more = true; more;) {
      more = false;
      step();
      char* bytes = nullptr;
      const auto size = static_cast<size_t>(BIO_get_mem_data(SSL_get_wbio(ssl), &bytes));
      const std::string out{bytes, size};
      (void)BIO_reset(SSL_get_wbio(ssl));
      for (size_t at = 0; at < out.size(); at += std::min(slice, out.size() - at)) {
        server.receive(std::string_view{out}.substr(at, slice), heard);
        more = true;
      }
      while (!server.pending_output().empty()) {
        const std::string part{server.pending_output().substr(0, slice)};
        server.sent(part.size());
        BIO_write(SSL_get_rbio(ssl), part.data(), static_cast<int>(part.size()));
        step();
        more = true;
      }
    }
  }

  void say(std::string_view text) { SSL_write(ssl, text.data(), static_cast<int>(text.size())); }

  /// Common name of the server's certificate.
  std::string server_name() const {
    const auto certificate = SSL_get0_peer_certificate(ssl);
    char name[256] = "";
    if (certificate)
      X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, 256);
    return name;
  }

  SSL* ssl = nullptr;
  std::string heard;    ///< plaintext that the server has received
  std::string received; ///< plaintext from the server
  std::string failure;  ///< why the client's side failed
  bool open = false;    ///< its handshake is done
  bool ended = false;   ///< close_notify was received

private:
  void step() {
    ERR_clear_error();
    if (!open) {
      const auto result = SSL_do_handshake(ssl);
      open = result == 1;
      if (!open && SSL_get_error(ssl, result) != SSL_ERROR_WANT_READ && failure.empty())
        fail();
      if (!open)
        return;
    }
    char bytes[16384];
    for (;;) {
      ERR_clear_error();
      const auto size = SSL_read(ssl, bytes, sizeof bytes);
      if (size > 0) {
        received.append(bytes, static_cast<size_t>(size));
        continue;
      }
      const auto error = SSL_get_error(ssl, size);
      ended = ended || error == SSL_ERROR_ZERO_RETURN;
      if (error == SSL_ERROR_SSL && failure.empty())
        fail();
      return;
    }
  }

  void fail() {
    const auto reason = ERR_reason_error_string(ERR_get_error());
    failure = reason ? reason : "unknown";
  }

  SSL_CTX* context_;
  SSL_SESSION* session_ = nullptr;
};

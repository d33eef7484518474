#include "caf_app/loop/tls_session.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "caf_app/base/assert.hpp"
#include "caf_app/loop/tls_files.hpp"

namespace caf_app {

namespace {

constexpr size_t record_bytes_max = 16 * 1024;
constexpr size_t record_overhead_max = 5 + 1 + 16 + 8; // head, type, tag, nonce of TLS 1.2
constexpr size_t idle_bytes_max = 1024;                // that a connection keeps between writes

size_t sealed_size(size_t plaintext) {
  return plaintext + (plaintext / record_bytes_max + 1) * record_overhead_max;
}

std::string one_line(const X509_NAME* name) {
  const auto memory = BIO_new(BIO_s_mem());
  X509_NAME_print_ex(memory, name, 0, XN_FLAG_RFC2253);
  char* bytes = nullptr;
  const auto size = BIO_get_mem_data(memory, &bytes);
  std::string result{bytes, static_cast<size_t>(size)};
  BIO_free(memory);
  return result;
}

std::string fingerprint(const X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  X509_digest(certificate, EVP_sha256(), digest.data(), &size);
  std::string result;
  for (unsigned int i = 0; i < size; ++i) {
    constexpr auto digits = "0123456789abcdef";
    result += digits[digest[i] >> 4];
    result += digits[digest[i] & 15];
  }
  return result;
}

} // namespace

void tls_session::ssl_deleter::operator()(ssl_st* ssl) const { SSL_free(ssl); }

// What OpenSSL reads from and writes to. Memory BIOs of its own would copy what comes in, move what
// goes out at each write, and keep their largest size for good.
struct tls_session::bio {
  static int write(BIO* self, const char* bytes, size_t size, size_t* written) {
    static_cast<tls_session*>(BIO_get_data(self))->output_.append(bytes, size);
    *written = size;
    return 1;
  }

  static int read(BIO* self, char* bytes, size_t size, size_t* got) {
    auto& input = static_cast<tls_session*>(BIO_get_data(self))->input_;
    BIO_clear_retry_flags(self);
    if (input.empty()) {
      BIO_set_retry_read(self); // "later", not "end"
      return 0;
    }
    *got = std::min(size, input.size());
    std::copy_n(input.data(), *got, bytes);
    input.remove_prefix(*got);
    return 1;
  }

  static long control(BIO*, int what, long, void*) { return what == BIO_CTRL_FLUSH ? 1 : 0; }

  static BIO_METHOD* make_method() {
    const auto method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "caf_app");
    CAF_APP_ASSERT(method != nullptr);
    BIO_meth_set_write_ex(method, write);
    BIO_meth_set_read_ex(method, read);
    BIO_meth_set_ctrl(method, control);
    return method;
  }

  static const BIO_METHOD* method() {
    static const std::unique_ptr<BIO_METHOD, decltype(&BIO_meth_free)> made{make_method(),
                                                                            BIO_meth_free};
    return made.get();
  }
};

tls_session::tls_session(std::shared_ptr<const tls_context> context)
    : server_(std::move(context)), ssl_(server_->new_ssl()) {
  attach();
  SSL_set_accept_state(ssl_.get());
}

tls_session::tls_session(std::shared_ptr<const tls_client_context> context, const std::string& name)
    : client_(std::move(context)), ssl_(client_->new_ssl(name)) {
  attach();
  SSL_set_connect_state(ssl_.get());
  shake_hands();
}

tls_session::~tls_session() = default;

void tls_session::attach() {
  CAF_APP_ASSERT(ssl_ != nullptr);
  const auto both = BIO_new(bio::method());
  CAF_APP_ASSERT(both != nullptr);
  BIO_set_data(both, this);
  BIO_set_init(both, 1);
  SSL_set_bio(ssl_.get(), both, both);
}

tls_state tls_session::receive(std::string_view ciphertext, std::string& plaintext) {
  if (state_ == tls_state::failed || ciphertext.empty())
    return state_;
  input_ = ciphertext;
  if (state_ == tls_state::handshaking)
    shake_hands();
  if (state_ == tls_state::open)
    read_plaintext(plaintext);
  input_ = {}; // OpenSSL keeps a part of a record itself; behind an end there is nothing to read
  return state_;
}

void tls_session::shake_hands() {
  ERR_clear_error();
  const auto result = SSL_do_handshake(ssl_.get());
  if (result == 1) {
    state_ = tls_state::open;
    learn();
  } else if (SSL_get_error(ssl_.get(), result) != SSL_ERROR_WANT_READ) {
    fail();
  }
}

void tls_session::read_plaintext(std::string& plaintext) {
  std::array<char, record_bytes_max> record;
  for (;;) {
    ERR_clear_error();
    size_t size = 0;
    const auto result = SSL_read_ex(ssl_.get(), record.data(), record.size(), &size);
    if (result == 1) {
      plaintext.append(record.data(), size);
      if (input_.empty() && SSL_pending(ssl_.get()) == 0)
        return; // another call would only find that out
      continue;
    }
    switch (SSL_get_error(ssl_.get(), result)) {
      case SSL_ERROR_WANT_READ: return;
      case SSL_ERROR_ZERO_RETURN: state_ = tls_state::closed; return;
      default: fail(); return;
    }
  }
}

bool tls_session::write(std::string_view plaintext) {
  if ((state_ != tls_state::open && state_ != tls_state::closed) || finished_)
    return false;
  if (plaintext.empty())
    return true;
  ERR_clear_error();
  output_.reserve(output_.size() + sealed_size(plaintext.size()));
  size_t written = 0;
  const auto result = SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &written);
  if (result == 1 && written == plaintext.size())
    return true;
  fail();
  return false;
}

void tls_session::shut_down() {
  if (finished_ || state_ == tls_state::handshaking || state_ == tls_state::failed)
    return;
  finished_ = true;
  ERR_clear_error();
  SSL_shutdown(ssl_.get()); // 0: the peer's close_notify is still to come
}

void tls_session::sent(size_t bytes) {
  output_sent_ += bytes;
  if (output_sent_ < output_.size())
    return;
  output_sent_ = 0;
  if (output_.capacity() > idle_bytes_max)
    output_ = {};
  else
    output_.clear();
}

void tls_session::learn() {
  const auto ssl = ssl_.get();
  info_.version = SSL_get_version(ssl);
  info_.cipher = SSL_get_cipher_name(ssl);
  info_.resumed = SSL_session_reused(ssl) == 1;
  const unsigned char* alpn = nullptr;
  unsigned int alpn_size = 0;
  SSL_get0_alpn_selected(ssl, &alpn, &alpn_size);
  info_.alpn.assign(reinterpret_cast<const char*>(alpn), alpn_size);
  if (const auto name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name))
    info_.name = name;
  if (server_ && !info_.name.empty())
    info_.site = server_->find_site(info_.name).value_or(0);
  const auto certificate = SSL_get0_peer_certificate(ssl);
  if (certificate && SSL_get_verify_result(ssl) == X509_V_OK) {
    info_.peer_subject = one_line(X509_get_subject_name(certificate));
    info_.peer_fingerprint = fingerprint(certificate);
    info_.peer_names = tls::dns_names(certificate);
  }
}

void tls_session::fail() {
  state_ = tls_state::failed;
  // The last error is the one of TLS; those before it tell how OpenSSL came to it.
  const auto reason = ERR_reason_error_string(ERR_peek_last_error());
  failure_ = reason ? reason : "connection closed";
  ERR_clear_error();
  if (const auto result = SSL_get_verify_result(ssl_.get()); result != X509_V_OK)
    failure_ += std::string{" ("} + X509_verify_cert_error_string(result) + ')';
}

} // namespace caf_app

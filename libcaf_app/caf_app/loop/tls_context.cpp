#include "caf_app/loop/tls_context.hpp"

#include <algorithm>
#include <functional>

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include "caf_app/base/error.hpp"
#include "caf_app/loop/tls_files.hpp"

namespace caf_app {

namespace {

constexpr const char* default_ciphers = "ECDHE+AESGCM:ECDHE+CHACHA20:!aNULL:!eNULL:!PSK";

std::string lower(std::string_view text) {
  std::string result{text};
  for (auto& c : result)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c | 0x20);
  return result;
}

std::string_view view(const unsigned char* bytes, size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// The host name of a server_name extension (RFC 6066 §3); empty if there is none.
std::string_view host_name(std::string_view extension) {
  if (extension.size() < 5 || extension[2] != 0)
    return {};
  const auto size = static_cast<size_t>(static_cast<unsigned char>(extension[3]) << 8 |
                                        static_cast<unsigned char>(extension[4]));
  return size == extension.size() - 5 ? extension.substr(5) : std::string_view{};
}

std::string alpn_wire(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& each : names)
    result.append(1, static_cast<char>(each.size())).append(each);
  return result;
}

} // namespace

// What OpenSSL calls. The context is found through the session, because SNI changes its SSL_CTX.
struct tls_context::callbacks {
  static tls_context& of(SSL* ssl) { return *static_cast<tls_context*>(SSL_get_app_data(ssl)); }

  static int on_client_hello(SSL* ssl, int* alert, void*) {
    const auto& self = of(ssl);
    const unsigned char* bytes = nullptr;
    size_t size = 0;
    if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &size))
      return SSL_CLIENT_HELLO_SUCCESS;
    const auto found = self.find_site(host_name(view(bytes, size)));
    if (!found && self.unknown_name_ == tls_unknown_name::reject) {
      *alert = SSL_AD_UNRECOGNIZED_NAME;
      return SSL_CLIENT_HELLO_ERROR;
    }
    const auto context = self.sites_[found.value_or(0)].ssl;
    SSL_set_SSL_CTX(ssl, context);
    SSL_set_verify(ssl, SSL_CTX_get_verify_mode(context), nullptr); // not taken over by itself
    return SSL_CLIENT_HELLO_SUCCESS;
  }

  // Without this callback OpenSSL would not acknowledge the name.
  static int on_server_name(SSL*, int*, void*) { return SSL_TLSEXT_ERR_OK; }

  static int on_alpn(SSL* ssl, const unsigned char** out, unsigned char* out_size,
                     const unsigned char* offered, unsigned int offered_size, void*) {
    const auto& self = of(ssl);
    // RFC 9113 §9.2.2: TLS 1.2 without AEAD is no ground for HTTP/2.
    const auto cipher = SSL_get_pending_cipher(ssl);
    const auto modern = !cipher || SSL_CIPHER_is_aead(cipher) == 1;
    for (size_t at = 0; at < self.alpn_.size();) {
      const auto name =
          std::string_view{self.alpn_}.substr(at + 1, static_cast<size_t>(self.alpn_[at]));
      at += 1 + name.size();
      if (name == "h2" && !modern)
        continue;
      for (unsigned int i = 0; i < offered_size && i + 1 + offered[i] <= offered_size;
           i += 1 + offered[i])
        if (view(offered + i + 1, offered[i]) == name) {
          *out = offered + i + 1;
          *out_size = offered[i];
          return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL; // no_application_protocol
  }

  static int on_status(SSL* ssl, void*) {
    const auto& self = of(ssl);
    const auto context = SSL_get_SSL_CTX(ssl);
    const auto site = std::find_if(self.sites_.begin(), self.sites_.end(),
                                   [&](const loaded_site& each) { return each.ssl == context; });
    const auto certificate = SSL_get_certificate(ssl);
    if (site == self.sites_.end() || site->ocsp.empty() || !certificate)
      return SSL_TLSEXT_ERR_NOACK;
    const auto serial = X509_get0_serialNumber(certificate);
    const auto wanted =
        view(ASN1_STRING_get0_data(serial), static_cast<size_t>(ASN1_STRING_length(serial)));
    if (std::find(site->serials.begin(), site->serials.end(), wanted) == site->serials.end())
      return SSL_TLSEXT_ERR_NOACK; // it speaks of another certificate
    const auto copy = OPENSSL_memdup(site->ocsp.data(), site->ocsp.size());
    SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(site->ocsp.size()));
    return SSL_TLSEXT_ERR_OK;
  }

  // -1: error, 0: unknown key, 1: fine, 2: fine, but give the client a new ticket
  static int on_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                       EVP_MAC_CTX* mac, int seal) {
    const auto keys = of(ssl).tickets_.load();
    if (!keys)
      return 0;
    const auto found = seal ? keys->current() : keys->find(view(name, 16));
    if (!found)
      return 0;
    const auto key = reinterpret_cast<const unsigned char*>(found->cipher.data());
    if (seal) {
      std::copy(found->name.begin(), found->name.end(), name);
      if (RAND_bytes(iv, EVP_CIPHER_get_iv_length(EVP_aes_256_cbc())) != 1)
        return -1;
    }
    if (EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), nullptr, key, iv, seal) != 1)
      return -1;
    std::string secret{found->mac};
    std::string digest = "SHA256";
    const OSSL_PARAM parameters[]{
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, secret.data(), secret.size()),
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest.data(), 0),
        OSSL_PARAM_construct_end()};
    if (EVP_MAC_CTX_set_params(mac, parameters) != 1)
      return -1;
    return seal || found->name == keys->current().name ? 1 : 2;
  }
};

caf::error tls_context::load_site(const tls_site_options& site, const tls_options& options) {
  auto& loaded = sites_.emplace_back();
  loaded.shown = {site.hosts, site.client_auth, site.client_ca};
  const auto context = SSL_CTX_new(TLS_server_method());
  if (!context)
    return caf::make_error(errc::busy, "no memory for TLS: " + tls::take_reason());
  loaded.ssl = context;
  const auto wrong = [](const std::string& what) {
    return caf::make_error(errc::invalid_config, what + ": " + tls::take_reason());
  };
  SSL_CTX_set_min_proto_version(context, options.min_version == tls_version::v1_3 ? TLS1_3_VERSION
                                                                                  : TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  const auto& ciphers = options.ciphers.empty() ? default_ciphers : options.ciphers;
  if (SSL_CTX_set_cipher_list(context, std::string{ciphers}.c_str()) != 1)
    return wrong("ciphers \"" + options.ciphers + '"');
  if (SSL_CTX_set1_groups_list(context, options.curves.c_str()) != 1)
    return wrong("curves \"" + options.curves + '"');
  for (const auto& pair : site.key_pairs)
    if (auto err = tls::use_key_pair(context, pair))
      return err;
  if (auto err = tls::use_client_auth(context, site))
    return err;
  if (!site.ocsp_file.empty()) {
    auto response = tls::read_ocsp(site.ocsp_file);
    if (!response)
      return response.error();
    loaded.ocsp = std::move(response->der);
    loaded.serials = std::move(response->serials);
  }
  SSL_CTX_set_client_hello_cb(context, callbacks::on_client_hello, nullptr);
  SSL_CTX_set_tlsext_servername_callback(context, callbacks::on_server_name);
  SSL_CTX_set_tlsext_status_cb(context, callbacks::on_status);
  if (!alpn_.empty())
    SSL_CTX_set_alpn_select_cb(context, callbacks::on_alpn, nullptr);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  if (tickets_on_)
    SSL_CTX_set_tlsext_ticket_key_evp_cb(context, callbacks::on_ticket);
  else
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  // A session of one site is worth nothing on another.
  const auto id = "caf_app " + std::to_string(std::hash<std::string>{}(
                                   site.hosts.empty() ? std::string{} : site.hosts.front()));
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(id.data()),
                                 static_cast<unsigned int>(std::min<size_t>(id.size(), 32)));
  return {};
}

caf::expected<std::shared_ptr<tls_context>>
tls_context::load(const tls_options& options, const std::optional<tls_ticket_keys>& tickets) {
  const std::shared_ptr<tls_context> result{new tls_context};
  result->alpn_ = alpn_wire(options.alpn);
  result->unknown_name_ = options.unknown_name;
  result->tickets_on_ = tickets.has_value();
  if (tickets)
    result->set_ticket_keys(*tickets);
  if (options.sites.empty())
    return caf::make_error(errc::invalid_config, std::string{"TLS without a certificate"});
  for (const auto& site : options.sites) {
    if (site.key_pairs.empty())
      return caf::make_error(errc::invalid_config,
                             "site " + (site.hosts.empty() ? "\"*\"" : '"' + site.hosts[0] + '"') +
                                 " has no certificate");
    if (auto err = result->load_site(site, options))
      return err;
  }
  result->index_hosts();
  return result;
}

tls_context::~tls_context() {
  for (const auto& each : sites_)
    SSL_CTX_free(each.ssl);
}

void tls_context::index_hosts() {
  for (size_t i = 0; i < sites_.size(); ++i)
    for (const auto& host : sites_[i].shown.hosts) {
      const auto name = lower(host);
      if (name == "*")
        any_ = any_.value_or(i);
      else if (name.starts_with("*."))
        wildcard_.emplace(name.substr(2), i);
      else
        exact_.emplace(name, i);
    }
}

std::optional<size_t> tls_context::find_site(std::string_view sent) const {
  auto name = lower(sent);
  if (name.ends_with('.'))
    name.pop_back();
  if (const auto found = exact_.find(name); found != exact_.end())
    return found->second;
  for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1))
    if (const auto found = wildcard_.find(name.substr(dot + 1)); found != wildcard_.end())
      return found->second; // the longest comes first
  return any_;
}

bool tls_context::serves(size_t site, std::string_view host) const {
  const auto wanted = find_site(host).value_or(0);
  if (wanted == site)
    return true;
  const auto& rule = sites_[wanted].shown;
  const auto& made_for = sites_[site].shown;
  return rule.client_auth == tls_client_auth::none ||
         (rule.client_auth == made_for.client_auth && rule.client_ca == made_for.client_ca);
}

void tls_context::set_ticket_keys(const tls_ticket_keys& keys) {
  tickets_.store(std::make_shared<const tls_ticket_keys>(keys));
}

ssl_st* tls_context::new_ssl() const {
  const auto ssl = SSL_new(sites_.front().ssl);
  if (ssl)
    SSL_set_app_data(ssl, const_cast<tls_context*>(this));
  return ssl;
}

} // namespace caf_app

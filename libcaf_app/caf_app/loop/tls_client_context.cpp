#include "caf_app/loop/tls_client_context.hpp"

#include <arpa/inet.h>
#include <openssl/ssl.h>

#include "caf_app/base/error.hpp"
#include "caf_app/loop/tls_files.hpp"

namespace caf_app {

namespace {

bool is_address(const std::string& name) {
  in6_addr any;
  return inet_pton(AF_INET, name.c_str(), &any) == 1 ||
         inet_pton(AF_INET6, name.c_str(), &any) == 1;
}

int number_of(tls_version version) {
  return version == tls_version::v1_3 ? TLS1_3_VERSION : TLS1_2_VERSION;
}

} // namespace

caf::expected<std::shared_ptr<const tls_client_context>>
tls_client_context::load(const tls_client_options& options) {
  const std::shared_ptr<tls_client_context> result{new tls_client_context};
  result->ssl_ = SSL_CTX_new(TLS_client_method());
  if (!result->ssl_)
    return caf::make_error(errc::busy, "no memory for TLS: " + tls::take_reason());
  const auto context = result->ssl_;
  result->verify_ = options.verify;
  SSL_CTX_set_min_proto_version(context, number_of(options.min_version));
  SSL_CTX_set_max_proto_version(context, number_of(options.max_version));
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  if (options.verify == tls_verify::peer) {
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    if (auto err = tls::use_authorities(context, options.ca))
      return err;
  }
  if (!options.key_pair.cert.empty())
    if (auto err = tls::use_key_pair(context, options.key_pair))
      return err;
  std::string wire;
  for (const auto& each : options.alpn)
    wire.append(1, static_cast<char>(each.size())).append(each);
  if (!wire.empty())
    SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(wire.data()),
                            static_cast<unsigned int>(wire.size()));
  return std::shared_ptr<const tls_client_context>{result};
}

tls_client_context::~tls_client_context() { SSL_CTX_free(ssl_); }

ssl_st* tls_client_context::new_ssl(const std::string& name) const {
  const auto ssl = SSL_new(ssl_);
  if (!ssl || name.empty())
    return ssl;
  if (!is_address(name)) // RFC 6066 §3
    SSL_set_tlsext_host_name(ssl, name.c_str());
  if (verify_ == tls_verify::peer)
    SSL_set1_host(ssl, name.c_str());
  return ssl;
}

} // namespace caf_app

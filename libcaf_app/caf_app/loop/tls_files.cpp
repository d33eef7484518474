#include "caf_app/loop/tls_files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "caf_app/base/error.hpp"

namespace caf_app::tls {

namespace {

caf::error bad_file(const std::string& file, const std::string& what) {
  return caf::make_error(errc::invalid_config, file + ": " + what + ": " + take_reason());
}

// OpenSSL hides why a file cannot be opened behind "system lib".
caf::error unreadable(const std::string& file) {
  if (std::ifstream{file})
    return {};
  return caf::make_error(errc::invalid_config, file + ": cannot be read: " + std::strerror(errno));
}

// Never asks a person for the pass phrase of a key.
int no_passphrase(char*, int, int, void*) { return 0; }

} // namespace

std::vector<std::string> dns_names(const X509* certificate) {
  std::vector<std::string> result;
  auto* names = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const auto* name = sk_GENERAL_NAME_value(names, i);
    if (name->type == GEN_DNS)
      result.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(name->d.dNSName)),
                          ASN1_STRING_length(name->d.dNSName));
  }
  GENERAL_NAMES_free(names);
  return result;
}

caf::expected<std::vector<std::string>> dns_names_in(const std::string& file) {
  ERR_clear_error();
  if (auto err = unreadable(file))
    return err;
  const std::unique_ptr<BIO, decltype(&BIO_free)> bytes{BIO_new_file(file.c_str(), "r"), BIO_free};
  const std::unique_ptr<X509, decltype(&X509_free)> certificate{
      PEM_read_bio_X509(bytes.get(), nullptr, no_passphrase, nullptr), X509_free};
  if (!certificate)
    return bad_file(file, "is no certificate chain in PEM");
  return dns_names(certificate.get());
}

std::string take_reason() {
  std::string result;
  while (const auto code = ERR_get_error()) {
    const auto reason = ERR_reason_error_string(code);
    if (reason && result.empty())
      result = reason;
  }
  return result.empty() ? "unknown reason" : result;
}

caf::error use_key_pair(ssl_ctx_st* context, const tls_key_pair& files) {
  ERR_clear_error();
  for (const auto& file : {files.cert, files.key})
    if (auto err = unreadable(file))
      return err;
  SSL_CTX_set_default_passwd_cb(context, no_passphrase);
  if (SSL_CTX_use_certificate_chain_file(context, files.cert.c_str()) != 1)
    return bad_file(files.cert, "is no certificate chain in PEM");
  if (SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) != 1) {
    if (ERR_GET_REASON(ERR_peek_last_error()) != X509_R_KEY_VALUES_MISMATCH)
      return bad_file(files.key, "is no private key in PEM without a pass phrase");
  } else if (SSL_CTX_check_private_key(context) == 1) {
    return {};
  }
  ERR_clear_error();
  return caf::make_error(errc::invalid_config,
                         files.key + ": is not the key of the certificate in " + files.cert);
}

caf::error use_client_auth(ssl_ctx_st* context, const tls_site_options& site) {
  if (site.client_auth == tls_client_auth::none)
    return {};
  ERR_clear_error();
  if (site.client_ca.empty())
    return caf::make_error(errc::invalid_config,
                           std::string{"client certificates need client_ca, the file of those who "
                                       "may issue them"});
  if (auto err = unreadable(site.client_ca))
    return err;
  const auto names = SSL_load_client_CA_file(site.client_ca.c_str());
  if (!names || SSL_CTX_load_verify_file(context, site.client_ca.c_str()) != 1) {
    sk_X509_NAME_pop_free(names, X509_NAME_free);
    return bad_file(site.client_ca, "has no certificate in PEM");
  }
  SSL_CTX_set_client_CA_list(context, names);
  SSL_CTX_set_verify(context,
                     site.client_auth == tls_client_auth::require
                         ? SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
                         : SSL_VERIFY_PEER,
                     nullptr);
  if (site.client_crl.empty())
    return {};
  if (auto err = unreadable(site.client_crl))
    return err;
  const auto store = SSL_CTX_get_cert_store(context);
  const auto lookup = X509_STORE_add_lookup(store, X509_LOOKUP_file());
  if (!lookup || X509_load_crl_file(lookup, site.client_crl.c_str(), X509_FILETYPE_PEM) < 1)
    return bad_file(site.client_crl, "is no revocation list in PEM");
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK);
  return {};
}

caf::error use_authorities(ssl_ctx_st* context, const std::string& file) {
  ERR_clear_error();
  if (file.empty())
    return SSL_CTX_set_default_verify_paths(context) == 1
               ? caf::error{}
               : bad_file("system", "authorities cannot be loaded");
  if (auto err = unreadable(file))
    return err;
  if (SSL_CTX_load_verify_file(context, file.c_str()) != 1)
    return bad_file(file, "has no certificate in PEM");
  return {};
}

caf::expected<ocsp_response> read_ocsp(const std::string& file) {
  ERR_clear_error();
  if (auto err = unreadable(file))
    return err;
  std::ostringstream content;
  content << std::ifstream{file, std::ios::binary}.rdbuf();
  ocsp_response result{content.str(), {}};
  auto bytes = reinterpret_cast<const unsigned char*>(result.der.data());
  const std::unique_ptr<OCSP_RESPONSE, decltype(&OCSP_RESPONSE_free)> response{
      d2i_OCSP_RESPONSE(nullptr, &bytes, static_cast<long>(result.der.size())), OCSP_RESPONSE_free};
  if (!response || OCSP_response_status(response.get()) != OCSP_RESPONSE_STATUS_SUCCESSFUL)
    return bad_file(file, "is no successful OCSP response in DER");
  const std::unique_ptr<OCSP_BASICRESP, decltype(&OCSP_BASICRESP_free)> basic{
      OCSP_response_get1_basic(response.get()), OCSP_BASICRESP_free};
  for (auto i = 0; basic && i < OCSP_resp_count(basic.get()); ++i) {
    ASN1_INTEGER* serial = nullptr;
    const auto id = OCSP_SINGLERESP_get0_id(OCSP_resp_get0(basic.get(), i));
    OCSP_id_get0_info(nullptr, nullptr, nullptr, &serial, const_cast<OCSP_CERTID*>(id));
    result.serials.emplace_back(reinterpret_cast<const char*>(ASN1_STRING_get0_data(serial)),
                                static_cast<size_t>(ASN1_STRING_length(serial)));
  }
  return result;
}

} // namespace caf_app::tls

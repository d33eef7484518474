// Throw-away authorities and certificates for tests, made with OpenSSL in memory and written to a
// directory of their own, which is removed with the object. Keys are ECDSA unless asked for RSA.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <stdlib.h>

#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

class certificates {
public:
  struct files {
    std::string cert;
    std::string key;
  };

  enum class kind { ecdsa, rsa };

  certificates() {
    std::string name = std::filesystem::temp_directory_path() / "caf_app_tls_XXXXXX";
    directory_ = mkdtemp(name.data());
    authority_key_ = new_key(kind::ecdsa);
    authority_ = sign("Test CA", authority_key_, {}, "CA:TRUE");
    write(path("ca.pem"), [&](FILE* out) { PEM_write_X509(out, authority_); });
  }

  certificates(const certificates&) = delete;
  certificates& operator=(const certificates&) = delete;

  ~certificates() {
    for (const auto each : made_)
      X509_free(each);
    for (const auto each : keys_)
      EVP_PKEY_free(each);
    std::filesystem::remove_all(directory_);
  }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string ca() const { return path("ca.pem"); }

  /// A certificate of the authority for these names.
  files issue(const std::string& name, const std::vector<std::string>& hosts,
              kind type = kind::ecdsa) {
    const auto key = new_key(type);
    last_ = sign(name, key, hosts, "CA:FALSE");
    const files result{path(name + ".pem"), path(name + ".key")};
    write(result.cert, [&](FILE* out) { PEM_write_X509(out, last_); });
    write(result.key, [&](FILE* out) {
      PEM_write_PrivateKey(out, key, nullptr, nullptr, 0, nullptr, nullptr);
    });
    return result;
  }

  /// A revocation list with the certificate that was issued last.
  std::string revoke_last() {
    const auto list = X509_CRL_new();
    X509_CRL_set_version(list, 1);
    X509_CRL_set_issuer_name(list, X509_get_subject_name(authority_));
    const auto time = X509_gmtime_adj(nullptr, 0);
    X509_CRL_set1_lastUpdate(list, time);
    const auto revoked = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(revoked, X509_get_serialNumber(last_));
    X509_REVOKED_set_revocationDate(revoked, time);
    X509_CRL_add0_revoked(list, revoked);
    X509_gmtime_adj(time, 3600);
    X509_CRL_set1_nextUpdate(list, time);
    ASN1_TIME_free(time);
    X509_CRL_sign(list, authority_key_, EVP_sha256());
    write(path("crl.pem"), [&](FILE* out) { PEM_write_X509_CRL(out, list); });
    X509_CRL_free(list);
    return path("crl.pem");
  }

  /// An OCSP response that calls the certificate that was issued last good.
  std::string ocsp_of_last() {
    const auto id = OCSP_cert_to_id(nullptr, last_, authority_);
    const auto basic = OCSP_BASICRESP_new();
    const auto time = X509_gmtime_adj(nullptr, 0);
    OCSP_basic_add1_status(basic, id, V_OCSP_CERTSTATUS_GOOD, 0, nullptr, time, nullptr);
    OCSP_basic_sign(basic, authority_, authority_key_, EVP_sha256(), nullptr, 0);
    const auto response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
    unsigned char* bytes = nullptr;
    const auto size = i2d_OCSP_RESPONSE(response, &bytes);
    std::ofstream{path("ocsp.der"), std::ios::binary}.write(reinterpret_cast<char*>(bytes), size);
    OPENSSL_free(bytes);
    OCSP_RESPONSE_free(response);
    OCSP_BASICRESP_free(basic);
    OCSP_CERTID_free(id);
    ASN1_TIME_free(time);
    return path("ocsp.der");
  }

  /// A file with this content.
  std::string file(const std::string& name, const std::string& content) {
    std::ofstream{path(name)} << content;
    return path(name);
  }

private:
  template <class F>
  static void write(const std::string& file, F content) {
    const auto out = fopen(file.c_str(), "w");
    content(out);
    fclose(out);
  }

  EVP_PKEY* new_key(kind type) {
    keys_.push_back(type == kind::rsa ? EVP_RSA_gen(2048) : EVP_EC_gen("P-256"));
    return keys_.back();
  }

  X509* sign(const std::string& name, EVP_PKEY* key, const std::vector<std::string>& hosts,
             const char* constraints) {
    const auto result = X509_new();
    made_.push_back(result);
    X509_set_version(result, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(result), static_cast<long>(made_.size()) + 1000);
    X509_gmtime_adj(X509_getm_notBefore(result), -3600);
    X509_gmtime_adj(X509_getm_notAfter(result), 3600);
    X509_set_pubkey(result, key);
    const auto subject = X509_get_subject_name(result);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
    X509_set_issuer_name(result, authority_ ? X509_get_subject_name(authority_) : subject);
    add(result, NID_basic_constraints, constraints);
    std::string names;
    for (const auto& each : hosts)
      names += (names.empty() ? "DNS:" : ",DNS:") + each;
    if (!names.empty())
      add(result, NID_subject_alt_name, names.c_str());
    X509_sign(result, authority_key_, EVP_sha256());
    return result;
  }

  static void add(X509* certificate, int what, const char* value) {
    const auto extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  std::string directory_;
  std::vector<EVP_PKEY*> keys_;
  std::vector<X509*> made_;
  EVP_PKEY* authority_key_ = nullptr;
  X509* authority_ = nullptr;
  X509* last_ = nullptr;
};

// Reads what TLS keeps in files into a context of OpenSSL. Every error names the file and the
// reason.
#pragma once

#include <string>
#include <vector>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "caf_app/loop/tls_context.hpp"

struct x509_st;

namespace caf_app::tls {

/// The DNS names (subjectAltName) of a certificate.
std::vector<std::string> dns_names(const x509_st* certificate);

/// The same of the first certificate of a PEM file, which is that of its owner.
/// @returns errc::invalid_config naming the file and the reason
caf::expected<std::vector<std::string>> dns_names_in(const std::string& file);

/// Takes the error queue of OpenSSL, and empties it.
/// @returns its most telling reason, for example "no start line"
std::string take_reason();

/// Certificate with chain, and its key. A pair that does not match is refused.
caf::error use_key_pair(ssl_ctx_st* context, const tls_key_pair& files);

/// Rule, authorities and revocations for client certificates.
caf::error use_client_auth(ssl_ctx_st* context, const tls_site_options& site);

/// Trusted authorities of a client: `file`, or those of the system if empty.
caf::error use_authorities(ssl_ctx_st* context, const std::string& file);

/// A response to staple, and the serial numbers (DER) of the certificates that it is about.
struct ocsp_response {
  std::string der;
  std::vector<std::string> serials;
};

/// Reads a DER file. @returns errc::invalid_config if it is no response
caf::expected<ocsp_response> read_ocsp(const std::string& file);

} // namespace caf_app::tls

// [http.tls]: certificates and policy. Files are opened later, by who loads them.
#include "actors/http/http_config_rule.hpp"

#include "caf_app/base/config_schema.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

void add_policy(config_schema<http_tls>& schema) {
  schema
      .key("min_version", &http_tls::min_version,
           as_choice<min_tls_version>(
               {{"1.2", min_tls_version::v1_2}, {"1.3", min_tls_version::v1_3}}),
           "of TLS")
      .key("ciphers", &http_tls::ciphers, as_text(),
           "of TLS 1.2, as OpenSSL writes them; empty: ECDHE with AEAD")
      .key("curves", &http_tls::curves, as_text(), "key exchange, ours first")
      .key("unknown_sni", &http_tls::unknown_sni,
           as_choice<unknown_sni>(
               {{"default", unknown_sni::first_certificate}, {"reject", unknown_sni::reject}}),
           "for a name without a certificate: the first one, or the alert unrecognized_name")
      .key("handshake_timeout", &http_tls::handshake_timeout,
           as_duration(limits::loop::tick, limits::http::timeout_max), "then the connection is cut")
      .key("max_handshakes", &http_tls::max_handshakes, as_count(1, 1'000'000),
           "at once; then accepting pauses");
}

void add_tickets(config_schema<http_tls>& schema) {
  schema.key("tickets", &http_tls::tickets, as_boolean(), "clients may resume sessions")
      .key("ticket_rotate", &http_tls::ticket_rotate,
           as_duration(1s, limits::http::ticket_rotate_max), "a new key for tickets that often")
      .key("ticket_key_file", &http_tls::ticket_key_file, as_file(),
           "80 or 240 random bytes that several hosts share; empty: keys of this host");
}

void check_tls(const config_value& table, http_tls& out, config_report& report) {
  check_key_pairs(table, out.cert, out.key, report);
  if (out.client_auth != client_auth::none && out.client_ca.empty())
    report.add(written(table, "client_auth").at, "expected \"client_ca\" beside client_auth");
}

} // namespace

config_rule<std::string> as_file() {
  return {"path",
          [path = as_path()](const config_value& value, std::string& out, config_report& report) {
            std::filesystem::path file;
            if (!path.read(value, file, report))
              return false;
            out = file.string();
            return true;
          },
          [](const std::string& value) { return toml_quoted(value); }};
}

config_rule<client_auth> as_client_auth() {
  return as_choice<client_auth>({{"none", client_auth::none},
                                 {"request", client_auth::request},
                                 {"require", client_auth::require}});
}

void check_key_pairs(const config_value& table, const std::vector<std::string>& cert,
                     const std::vector<std::string>& key, config_report& report) {
  if (cert.size() != key.size() && was_read(table, "cert", cert.size()) &&
      was_read(table, "key", key.size()))
    report.add(written(table, table.find("cert") ? "cert" : "key").at,
               "found " + std::to_string(cert.size()) + " of \"cert\" and " +
                   std::to_string(key.size()) + " of \"key\", expected as many");
}

config_rule<http_tls> http_tls_rule() {
  config_schema<http_tls> schema{"http.tls"};
  schema
      .key("cert", &http_tls::cert, as_one_or_list(as_file()),
           "certificates with chain (PEM) of sites without their own, one per kind of key")
      .key("key", &http_tls::key, as_one_or_list(as_file()), "their keys (PEM)");
  add_policy(schema);
  add_tickets(schema);
  schema.key("ocsp_file", &http_tls::ocsp_file, as_file(), "response to staple (DER)")
      .key("client_ca", &http_tls::client_ca, as_file(), "who may issue client certificates (PEM)")
      .key("client_crl", &http_tls::client_crl, as_file(), "revoked client certificates (PEM)")
      .key("client_auth", &http_tls::client_auth, as_client_auth(),
           "whether clients show a certificate")
      .check(check_tls);
  return as_table(std::move(schema));
}

} // namespace caf_app::http

#define CAF_SUITE http_config_tls
#include "actors/http/http_config.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config.hpp"
#include "caf_app/base/error.hpp"

#include "support/http/config_reading.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace caf_app::http::test;
using namespace std::chrono_literals;

namespace {

const std::string prefix = "invalid configuration: f.toml:";
const std::string pair = "cert = \"a.pem\"\nkey = \"a.key\"\n";

} // namespace

CAF_TEST(without a section every default holds) {
  const auto [value, error] = read("");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(value.listen_tls.empty() && value.tls.cert.empty());
  CAF_CHECK(value.http2 && !value.h2c && value.tls.tickets);
  CAF_CHECK(value.tls.min_version == min_tls_version::v1_2);
  CAF_CHECK(value.tls.client_auth == client_auth::none);
  CAF_CHECK(value.tls.unknown_sni == unknown_sni::first_certificate);
  CAF_CHECK(value.tls.handshake_timeout == 5s);
  CAF_CHECK(value.tls.ticket_rotate == 12h);
  CAF_CHECK_EQUAL(value.tls.max_handshakes, 256u);
  CAF_CHECK_EQUAL(value.tls.curves, "X25519:P-256:P-384");
  CAF_CHECK_EQUAL(value.limits.h2_streams, 100u);
  CAF_CHECK_EQUAL(value.limits.h2_window, 65'536u);
  CAF_CHECK_EQUAL(value.limits.h2_connection_window, 1'048'576u);
  CAF_CHECK(value.limits.h2_settings_timeout == 5s);
}

CAF_TEST(everything can be written) {
  const auto [value, error] = read(R"(
[http]
listen_tls = ["127.0.0.1:8443"]
http2 = false
h2c = true
[http.tls]
cert = ["a.pem", "/b.pem"]
key = ["a.key", "/b.key"]
min_version = "1.3"
ciphers = "ECDHE+AESGCM"
curves = "P-256"
handshake_timeout = "2s"
max_handshakes = 7
tickets = false
ticket_rotate = "1h"
ticket_key_file = "t.key"
ocsp_file = "o.der"
client_ca = "ca.pem"
client_crl = "crl.pem"
client_auth = "require"
unknown_sni = "reject"
[http.limits]
h2_streams = 10
h2_window = "128KiB"
h2_connection_window = "2MiB"
h2_settings_timeout = "1s"
[[http.site]]
host = "a"
cert = "s.pem"
key = "s.key"
client_ca = "s.ca"
client_auth = "request"
)");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(value.tls.cert == (std::vector<std::string>{"/etc/app/a.pem", "/b.pem"}));
  CAF_CHECK(value.tls.key == (std::vector<std::string>{"/etc/app/a.key", "/b.key"}));
  CAF_CHECK(value.tls.min_version == min_tls_version::v1_3);
  CAF_CHECK_EQUAL(value.tls.ciphers, "ECDHE+AESGCM");
  CAF_CHECK_EQUAL(value.tls.ticket_key_file, "/etc/app/t.key");
  CAF_CHECK(value.tls.client_auth == client_auth::require);
  CAF_CHECK(value.tls.unknown_sni == unknown_sni::reject);
  CAF_CHECK(!value.tls.tickets && !value.http2 && value.h2c);
  CAF_CHECK_EQUAL(value.limits.h2_streams, 10u);
  CAF_CHECK_EQUAL(value.limits.h2_window, 131'072u);
  CAF_REQUIRE_EQUAL(value.site.size(), 1u);
  const auto& site = value.site[0].tls;
  CAF_CHECK(site.cert == std::vector<std::string>{"/etc/app/s.pem"});
  CAF_CHECK_EQUAL(site.client_ca, "/etc/app/s.ca");
  CAF_CHECK(site.client_auth == client_auth::request);
}

CAF_TEST(mistakes are told with their place) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[http]\nlisten_tls = [\"127.0.0.1:1\"]",
       "2:14: expected \"cert\" and \"key\" in [http.tls] or in a site beside listen_tls"},
      {"[http.tls]\ncert = \"a\"", "2:8: found 1 of \"cert\" and 0 of \"key\", expected as many"},
      {"[http.tls]\nkey = [\"a\", \"b\"]",
       "2:7: found 0 of \"cert\" and 2 of \"key\", expected as many"},
      {"[[http.site]]\nhost = \"a\"\nkey = \"a\"",
       "3:7: found 0 of \"cert\" and 1 of \"key\", expected as many"},
      {"[http.tls]\n" + pair + "client_auth = \"require\"",
       "4:15: expected \"client_ca\" beside client_auth"},
      {"[http.tls]\n" + pair + "min_version = \"1.1\"",
       "4:15: found the string \"1.1\", expected \"1.2\" or \"1.3\""},
      {"[http]\nlisten = [\"127.0.0.1:1\"]\nlisten_tls = [\"127.0.0.1:1\"]\n[http.tls]\n" + pair,
       "3:15: found the address \"127.0.0.1:1\" twice"},
  };
  for (const auto& [text, complaint] : rows)
    CAF_CHECK_EQUAL(read(text).error, prefix + complaint);
}

CAF_TEST(limits end where they should) {
  const auto fine = [](const std::string& line, const std::string& section = "limits") {
    return read("[http." + section + "]\n" + line).error.empty();
  };
  CAF_CHECK(fine("h2_streams = 1") && fine("h2_streams = 10000"));
  CAF_CHECK(!fine("h2_streams = 0") && !fine("h2_streams = 10001"));
  CAF_CHECK(fine("h2_window = 1") && fine("h2_window = 2147483647"));
  CAF_CHECK(!fine("h2_window = 0") && !fine("h2_window = 2147483648"));
  CAF_CHECK(fine("h2_connection_window = 65535"));
  CAF_CHECK(!fine("h2_connection_window = 65534"));
  CAF_CHECK(fine("max_handshakes = 1", "tls") && !fine("max_handshakes = 0", "tls"));
  CAF_CHECK(fine("ticket_rotate = \"168h\"", "tls") && !fine("ticket_rotate = \"169h\"", "tls"));
  CAF_CHECK(fine("ticket_rotate = \"1s\"", "tls") && !fine("ticket_rotate = \"999ms\"", "tls"));
}

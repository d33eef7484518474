#define CAF_SUITE tls_files
#include "caf_app/loop/tls_files.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/certificates.hpp"

using namespace caf_app;

namespace {

struct fixture {
  certificates made;
  certificates::files pair = made.issue("a.org", {"a.org"});

  tls_options options() const {
    tls_options result;
    result.sites.push_back({{"a.org"}, {{pair.cert, pair.key}}, {}, {}, {}, {}});
    return result;
  }

  // The text of the error; empty if the options are fine.
  static std::string error_of(const tls_options& options) {
    const auto loaded = tls_context::load(options, tls_ticket_keys::random());
    if (loaded)
      return {};
    CAF_CHECK(code_of(loaded.error()) == errc::invalid_config);
    return describe(loaded.error());
  }
};

bool names(const std::string& text, const std::string& part) {
  const auto found = text.find(part) != std::string::npos;
  if (!found)
    CAF_MESSAGE("no \"" << part << "\" in \"" << text << "\"");
  return found;
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(tls_files_tests, fixture)

  CAF_TEST(good files load without an error) { CAF_CHECK_EQUAL(error_of(options()), ""); }

  CAF_TEST(a missing file is named with its reason) {
    auto wanted = options();
    wanted.sites[0].key_pairs[0].cert = made.path("none.pem");
    auto text = error_of(wanted);
    CAF_CHECK(names(text, made.path("none.pem")));
    CAF_CHECK(names(text, "No such file"));
    wanted = options();
    wanted.sites[0].key_pairs[0].key = made.path("none.key");
    CAF_CHECK(names(error_of(wanted), made.path("none.key")));
  }

  CAF_TEST(the names of a certificate are those of the first one in the file) {
    const auto names = tls::dns_names_in(made.issue("b", {"b", "*.b.org"}).cert);
    CAF_REQUIRE(names);
    CAF_CHECK_EQUAL(*names, (std::vector<std::string>{"b", "*.b.org"}));
    const auto none = tls::dns_names_in(made.file("no.pem", "hello"));
    CAF_REQUIRE(!none);
    CAF_CHECK(describe(none.error()).find("no.pem: is no certificate chain") != std::string::npos);
    CAF_CHECK(!tls::dns_names_in(made.path("none.pem")));
  }

  CAF_TEST(a file without PEM is named with what was expected) {
    auto wanted = options();
    wanted.sites[0].key_pairs[0].cert = made.file("bad.pem", "hello");
    CAF_CHECK(names(error_of(wanted), "bad.pem: is no certificate chain in PEM"));
    wanted = options();
    wanted.sites[0].key_pairs[0].key = made.file("bad.key", "hello");
    CAF_CHECK(names(error_of(wanted), "bad.key: is no private key in PEM"));
  }

  CAF_TEST(a key of another certificate is refused) {
    const auto other = made.issue("b.org", {"b.org"});
    auto wanted = options();
    wanted.sites[0].key_pairs[0].key = other.key;
    const auto text = error_of(wanted);
    CAF_CHECK(names(text, "b.org.key: is not the key of the certificate in"));
    CAF_CHECK(names(text, "a.org.pem"));
    const auto rsa = made.issue("c.org", {"c.org"}, certificates::kind::rsa);
    wanted.sites[0].key_pairs[0].key = rsa.key; // of another kind altogether
    CAF_CHECK(names(error_of(wanted), "c.org.key: is not the key of the certificate in"));
  }

  CAF_TEST(client certificates need an authority) {
    auto wanted = options();
    wanted.sites[0].client_auth = tls_client_auth::require;
    CAF_CHECK(names(error_of(wanted), "client_ca"));
    wanted.sites[0].client_ca = made.file("ca2.pem", "");
    CAF_CHECK(names(error_of(wanted), "ca2.pem: has no certificate in PEM"));
    wanted.sites[0].client_ca = made.ca();
    CAF_CHECK_EQUAL(error_of(wanted), "");
    wanted.sites[0].client_crl = made.file("bad.crl", "x");
    CAF_CHECK(names(error_of(wanted), "bad.crl: is no revocation list in PEM"));
  }

  CAF_TEST(an unreadable OCSP response is refused) {
    auto wanted = options();
    wanted.sites[0].ocsp_file = made.file("bad.der", "x");
    CAF_CHECK(names(error_of(wanted), "bad.der: is no successful OCSP response in DER"));
  }

  CAF_TEST(ciphers and curves that OpenSSL does not know are refused) {
    auto wanted = options();
    wanted.ciphers = "NONSENSE";
    CAF_CHECK(names(error_of(wanted), "ciphers \"NONSENSE\""));
    wanted = options();
    wanted.curves = "X1";
    CAF_CHECK(names(error_of(wanted), "curves \"X1\""));
  }

  CAF_TEST(a site needs a certificate) {
    CAF_CHECK(names(error_of({}), "without a certificate"));
    auto wanted = options();
    wanted.sites[0].key_pairs.clear();
    CAF_CHECK(names(error_of(wanted), "\"a.org\" has no certificate"));
  }

  CAF_TEST(many reloads of good and bad files are possible) {
    const auto other = made.issue("b.org", {"b.org"});
    auto bad = options();
    bad.sites[0].key_pairs[0].key = other.key;
    for (auto i = 0; i < 50; ++i) { // the address sanitizer looks for leaks
      CAF_REQUIRE_EQUAL(error_of(options()), "");
      CAF_REQUIRE(!error_of(bad).empty());
    }
  }

  CAF_TEST_FIXTURE_SCOPE_END()

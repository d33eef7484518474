#define CAF_SUITE tls_context
#include "caf_app/loop/tls_context.hpp"

#include <caf/test/unit_test.hpp>

#include "support/tls_client.hpp"
#include "support/tls_fixture.hpp"

using namespace caf_app;

CAF_TEST_FIXTURE_SCOPE(tls_context_tests, tls_fixture)

  CAF_TEST(exact names win over wildcards and longer wildcards over shorter) {
    auto wanted = with({site("a.org")});
    const auto pairs = wanted.sites[0].key_pairs;
    for (const auto host : {"*.org", "*.a.org", "w.a.org", "B.com"})
      wanted.sites.push_back({{host}, pairs, {}, {}, {}, {}});
    const auto loaded = tls_context::load(wanted, std::nullopt);
    CAF_REQUIRE(loaded);
    const auto& context = **loaded;
    CAF_CHECK(context.find_site("a.org") == 0u);
    CAF_CHECK(context.find_site("A.ORG.") == 0u);
    CAF_CHECK(context.find_site("b.org") == 1u);
    CAF_CHECK(context.find_site("x.a.org") == 2u);
    CAF_CHECK(context.find_site("y.x.a.org") == 2u);
    CAF_CHECK(context.find_site("w.a.org") == 3u);
    CAF_CHECK(context.find_site("v.w.a.org") == 2u);
    CAF_CHECK(context.find_site("b.com") == 4u);
    CAF_CHECK(!context.find_site("org"));
    CAF_CHECK(!context.find_site("c.com"));
    CAF_CHECK(!context.find_site(""));
  }

  CAF_TEST(ALPN follows our order and no overlap is an alert) {
    const auto context = simple();
    const auto agreed = [&](const std::vector<std::string>& offered) {
      tls_session server{context};
      tls_client client;
      client.alpn(offered).talk(server);
      return server.state() == tls_state::open ? server.info().alpn : client.failure;
    };
    CAF_CHECK_EQUAL(agreed({"http/1.1", "h2"}), "h2");
    CAF_CHECK_EQUAL(agreed({"http/1.1"}), "http/1.1");
    CAF_CHECK_EQUAL(agreed({"spdy/3", "http/1.1"}), "http/1.1");
    CAF_CHECK_EQUAL(agreed({"spdy/3"}), "tlsv1 alert no application protocol");
    tls_session server{context};
    tls_client client;
    client.talk(server);
    CAF_CHECK_EQUAL(server.info().alpn, "");
  }

  CAF_TEST(a server without h2 speaks HTTP 1 only) {
    auto options = with({site("a.org")});
    options.alpn = {"http/1.1"};
    tls_session server{load(options)};
    tls_client client;
    client.alpn({"h2", "http/1.1"}).talk(server);
    CAF_CHECK_EQUAL(server.info().alpn, "http/1.1");
  }

CAF_TEST(TLS 1 2 without AEAD is no ground for h2) {
  auto options = with({site("a.org")});
  options.ciphers = "ECDHE-ECDSA-AES128-SHA256";
  tls_session server{load(options)};
  tls_client client;
  SSL_set_max_proto_version(client.ssl, TLS1_2_VERSION);
  client.alpn({"h2", "http/1.1"}).talk(server);
  CAF_REQUIRE(server.state() == tls_state::open);
  CAF_CHECK_EQUAL(server.info().alpn, "http/1.1");
}

CAF_TEST(the name decides on the certificate) {
  const auto context = load(with({site("a.org"), site("*.a.org"), site("b.org")}));
  const auto shown = [&](const std::string& name) {
    tls_session server{context};
    tls_client client{name};
    client.talk(server);
    CAF_CHECK_EQUAL(server.info().name, name);
    return client.server_name() + " " + std::to_string(server.info().site);
  };
  CAF_CHECK_EQUAL(shown("a.org"), "a.org 0");
  CAF_CHECK_EQUAL(shown("b.org"), "b.org 2");
  CAF_CHECK_EQUAL(shown("x.a.org"), "any.a.org 1");
  CAF_CHECK_EQUAL(shown("y.x.a.org"), "any.a.org 1");
  CAF_CHECK_EQUAL(shown("c.org"), "a.org 0");
  CAF_CHECK_EQUAL(shown(""), "a.org 0");
}

CAF_TEST(an unknown name can be rejected) {
  auto options = with({site("a.org")});
  options.unknown_name = tls_unknown_name::reject;
  const auto context = load(options);
  tls_session server{context};
  tls_client client{"b.org"};
  client.talk(server);
  CAF_CHECK(server.state() == tls_state::failed);
  CAF_CHECK_EQUAL(client.failure, "tlsv1 unrecognized name");
  tls_session other{context};
  tls_client nameless;
  nameless.talk(other);
  CAF_CHECK(other.state() == tls_state::open);
}

CAF_TEST(a client gets the kind of certificate that it can check) {
  auto both = site("a.org");
  const auto rsa = made.issue("rsa.a.org", {"a.org"}, certificates::kind::rsa);
  both.key_pairs.push_back({rsa.cert, rsa.key});
  const auto context = load(with({both}));
  tls_session server{context};
  tls_client client;
  SSL_set1_sigalgs_list(client.ssl, "RSA-PSS+SHA256:RSA+SHA256");
  client.talk(server);
  CAF_CHECK_EQUAL(client.server_name(), "rsa.a.org");
  tls_session other{context};
  tls_client modern;
  modern.talk(other);
  CAF_CHECK_EQUAL(modern.server_name(), "a.org");
}

CAF_TEST(client certificates follow the rule of the site) {
  auto rule = site("a.org");
  rule.client_auth = tls_client_auth::require;
  rule.client_ca = made.ca();
  auto asks = site("b.org");
  asks.client_auth = tls_client_auth::request;
  asks.client_ca = made.ca();
  const auto good = made.issue("alice", {});
  const auto bad = made.issue("mallory", {});
  rule.client_crl = made.revoke_last();
  const auto context = load(with({rule, asks, site("c.org")}));
  certificates elsewhere;
  const auto strange = elsewhere.issue("eve", {});
  const auto outcome = [&](const std::string& name, const certificates::files* shown) {
    tls_session server{context};
    tls_client client{name};
    if (shown)
      client.shows(shown->cert, shown->key);
    client.talk(server);
    return server.state() == tls_state::open ? "open " + server.info().peer_subject
                                             : server.failure();
  };
  CAF_CHECK_EQUAL(outcome("a.org", &good), "open CN=alice");
  CAF_CHECK_EQUAL(outcome("a.org", nullptr), "peer did not return a certificate");
  CAF_CHECK(outcome("a.org", &bad).find("certificate revoked") != std::string::npos);
  CAF_CHECK(outcome("a.org", &strange).starts_with("certificate verify failed"));
  CAF_CHECK_EQUAL(outcome("b.org", &good), "open CN=alice");
  CAF_CHECK_EQUAL(outcome("b.org", nullptr), "open ");
  CAF_CHECK(outcome("b.org", &strange).starts_with("certificate verify failed"));
  CAF_CHECK_EQUAL(outcome("c.org", &good), "open "); // nobody asked
}

CAF_TEST(a ticket is good on every instance that shares the ring) {
  const auto options = with({site("a.org"), site("b.org")});
  const auto ring = *tls_ticket_keys::random();
  const auto first = load(options, ring);
  // A client that was with the first instance goes to one with these keys.
  const auto resumed = [&](const std::optional<tls_ticket_keys>& keys, int version,
                           const std::string& name = "a.org") {
    tls_session earlier{first};
    tls_client before{"a.org"};
    SSL_set_max_proto_version(before.ssl, version);
    before.talk(earlier);
    CAF_CHECK(!earlier.info().resumed);
    tls_session server{load(options, keys)};
    tls_client client{name};
    SSL_set_max_proto_version(client.ssl, version);
    client.resumes(before).talk(server);
    CAF_CHECK(server.state() == tls_state::open);
    CAF_CHECK_EQUAL(server.info().resumed, SSL_session_reused(client.ssl) == 1);
    return server.info().resumed;
  };
  for (const auto version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    const auto next = *ring.rotated();
    CAF_CHECK(resumed(ring, version));
    CAF_CHECK(resumed(next, version));
    CAF_CHECK(!resumed(next.rotated(), version));
    CAF_CHECK(!resumed(tls_ticket_keys::random(), version));
    CAF_CHECK(!resumed(std::nullopt, version));
    CAF_CHECK(!resumed(ring, version, "b.org"));
  }
}

CAF_TEST(an instance that has not turned its ring yet takes tickets of the next key) {
  const auto options = with({site("a.org")});
  const auto ring = *tls_ticket_keys::random();
  auto turned = tls_context::load(options, ring);
  CAF_REQUIRE(turned);
  (*turned)->set_ticket_keys(*ring.rotated());
  tls_session server{std::shared_ptr<const tls_context>{*turned}};
  tls_client client{"a.org"};
  client.talk(server);
  tls_session late{load(options, ring)};
  tls_client again{"a.org"};
  again.resumes(client).talk(late);
  CAF_CHECK(late.info().resumed);
}

CAF_TEST(a connection carries no requests for a site with another rule for its clients) {
  auto wanted = with({site("a.org"), site("b.org"), site("c.org"), site("d.org")});
  for (const auto i : {2u, 3u}) {
    wanted.sites[i].client_auth = tls_client_auth::require;
    wanted.sites[i].client_ca = made.ca();
  }
  const auto context = load(wanted);
  CAF_CHECK(context->serves(0, "a.org") && context->serves(0, "b.org"));
  CAF_CHECK(context->serves(2, "a.org")); // which asks for nothing
  CAF_CHECK(!context->serves(0, "c.org") && !context->serves(1, "D.org."));
  CAF_CHECK(context->serves(2, "c.org") && context->serves(2, "d.org"));
  CAF_CHECK(context->serves(1, "unknown.org")); // the first site's
}

CAF_TEST(the OCSP response is stapled to its own certificate only) {
  auto stapled = site("a.org");
  stapled.ocsp_file = made.ocsp_of_last();
  auto other = site("b.org");
  other.ocsp_file = stapled.ocsp_file;
  const auto context = load(with({stapled, other}));
  for (const auto name : {"a.org", "b.org"}) {
    tls_session server{context};
    tls_client client{name};
    SSL_set_tlsext_status_type(client.ssl, TLSEXT_STATUSTYPE_ocsp);
    client.talk(server);
    CAF_REQUIRE(client.open);
    unsigned char* bytes = nullptr;
    const auto size = SSL_get_tlsext_status_ocsp_resp(client.ssl, &bytes);
    CAF_CHECK_EQUAL(size > 0, std::string{name} == "a.org");
  }
}

CAF_TEST_FIXTURE_SCOPE_END()

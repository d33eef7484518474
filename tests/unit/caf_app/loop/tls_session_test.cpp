#define CAF_SUITE tls_session
#include "caf_app/loop/tls_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/tls_client.hpp"
#include "support/tls_fixture.hpp"

using namespace caf_app;

CAF_TEST_FIXTURE_SCOPE(tls_session_tests, tls_fixture)

  CAF_TEST(bytes go both ways in every slicing) {
    const auto context = simple();
    const std::string large(100'000, 'x');
    for (const auto slice : {size_t{1}, size_t{7}, size_t{100'000}}) {
      tls_session server{context};
      tls_client client;
      client.talk(server, slice);
      CAF_REQUIRE(server.state() == tls_state::open);
      CAF_REQUIRE(client.open);
      CAF_CHECK_EQUAL(server.info().version, "TLSv1.3");
      const auto& text = slice == 1 ? std::string{"hello"} : large;
      client.say(text);
      CAF_CHECK(server.write(text));
      client.talk(server, slice);
      CAF_CHECK(client.heard == text);
      CAF_CHECK(client.received == text);
    }
  }

  CAF_TEST(our client and our server understand each other) {
    const auto context = simple();
    tls_client_options options;
    options.ca = made.ca();
    options.alpn = {"h2"};
    const auto trust = tls_client_context::load(options);
    CAF_REQUIRE(trust);
    for (const auto name : {"a.org", "b.org"}) {
      tls_session server{context};
      tls_session client{*trust, name};
      std::string heard;
      std::string received;
      for (auto i = 0; i < 4; ++i) {
        server.receive(std::string{client.pending_output()}, heard);
        client.sent(client.pending_output().size());
        client.receive(std::string{server.pending_output()}, received);
        server.sent(server.pending_output().size());
        client.write("hi");
      }
      if (std::string{name} == "a.org") {
        CAF_CHECK(heard.starts_with("hi"));
        CAF_CHECK_EQUAL(client.info().alpn, "h2");
        CAF_CHECK_EQUAL(client.info().peer_subject, "CN=a.org");
        CAF_CHECK_EQUAL(client.info().peer_fingerprint.size(), 64u);
      } else {
        CAF_CHECK(client.state() == tls_state::failed);
        CAF_CHECK(client.failure().find("hostname mismatch") != std::string::npos);
      }
    }
  }

  CAF_TEST(TLS 1 2 gets ECDHE with AEAD only) {
    const auto context = simple();
    tls_session server{context};
    tls_client client;
    SSL_set_max_proto_version(client.ssl, TLS1_2_VERSION);
    client.talk(server);
    CAF_REQUIRE(server.state() == tls_state::open);
    CAF_CHECK_EQUAL(server.info().version, "TLSv1.2");
    CAF_CHECK(server.info().cipher.starts_with("ECDHE-"));
    tls_session strict{context};
    tls_client old;
    SSL_set_max_proto_version(old.ssl, TLS1_2_VERSION);
    SSL_set_cipher_list(old.ssl, "ECDHE-ECDSA-AES128-SHA256:AES128-GCM-SHA256");
    old.talk(strict);
    CAF_CHECK(strict.state() == tls_state::failed);
    CAF_CHECK_EQUAL(strict.failure(), "no shared cipher");
  }

  CAF_TEST(an old version is refused with an alert) {
    auto options = with({site("a.org")});
    options.min_version = tls_version::v1_3;
    tls_session server{load(options)};
    tls_client client;
    SSL_set_max_proto_version(client.ssl, TLS1_2_VERSION);
    client.talk(server);
    CAF_CHECK(server.state() == tls_state::failed);
    CAF_CHECK_EQUAL(client.failure, "tlsv1 alert protocol version");
  }

  CAF_TEST(close_notify ends each direction by itself) {
    tls_session server{simple()};
    tls_client client;
    client.talk(server);
    server.shut_down();
    CAF_CHECK(!server.write("too late"));
    client.say("still here");
    client.talk(server);
    CAF_CHECK(client.ended);
    CAF_CHECK_EQUAL(client.heard, "still here");
    CAF_CHECK(server.state() == tls_state::open);
    SSL_shutdown(client.ssl);
    client.talk(server);
    CAF_CHECK(server.state() == tls_state::closed);
  }

  CAF_TEST(after the peer has closed its direction ours still works) {
    tls_session server{simple()};
    tls_client client;
    client.talk(server);
    SSL_shutdown(client.ssl);
    client.talk(server);
    CAF_CHECK(server.state() == tls_state::closed);
    CAF_CHECK(server.write("answer"));
    client.talk(server);
    server.shut_down();
    CAF_CHECK(!server.pending_output().empty());
  }

  CAF_TEST(renegotiation is refused) {
    tls_session server{simple()};
    tls_client client;
    SSL_set_max_proto_version(client.ssl, TLS1_2_VERSION);
    client.talk(server);
    SSL_renegotiate(client.ssl);
    SSL_do_handshake(client.ssl);
    client.talk(server);
    CAF_CHECK_EQUAL(client.failure, "no renegotiation");
  }

  CAF_TEST(cleartext and garbage fail at once) {
    const auto context = simple();
    std::string plaintext;
    tls_session http{context};
    CAF_CHECK(http.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n", plaintext) == tls_state::failed);
    CAF_CHECK_EQUAL(http.failure(), "http request");
    tls_session garbage{context};
    CAF_CHECK(garbage.receive(std::string(100, '\xff'), plaintext) == tls_state::failed);
    CAF_CHECK(garbage.receive("more", plaintext) == tls_state::failed);
    CAF_CHECK(!garbage.write("x"));
    CAF_CHECK_EQUAL(plaintext, "");
  }

  CAF_TEST(a record that was tampered with ends the session) {
    tls_session server{simple()};
    tls_client client;
    client.talk(server);
    client.say("hello");
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(SSL_get_wbio(client.ssl), &bytes);
    std::string record{bytes, static_cast<size_t>(size)};
    record.back() ^= 1;
    std::string plaintext;
    CAF_CHECK(server.receive(record, plaintext) == tls_state::failed);
    CAF_CHECK_EQUAL(plaintext, "");
  }

  CAF_TEST(nothing can be written before the handshake) {
    tls_session server{simple()};
    CAF_CHECK(!server.write("x"));
    server.shut_down();
    CAF_CHECK(server.pending_output().empty());
  }

  CAF_TEST_FIXTURE_SCOPE_END()

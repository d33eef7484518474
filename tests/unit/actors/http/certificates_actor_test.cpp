#define CAF_SUITE certificates_actor
#include "actors/http/certificates_actor.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/loop/tls_session.hpp"
#include "support/certificates.hpp"
#include "support/tls_client.hpp"

using namespace caf_app;
using namespace caf_app::http;
using all_certificates = caf_app::http::certificates; // the fixture makes others
using namespace std::chrono_literals;

namespace {

struct fixture {
  http_config config_for(const std::string& name) {
    const auto files = made.issue(name, {name});
    http_config config;
    config.tls.cert = {files.cert};
    config.tls.key = {files.key};
    return config;
  }

  void add_site(http_config& config, const std::string& host, bool own) {
    auto& site = config.site.emplace_back();
    site.host = {host};
    if (!own)
      return;
    const auto files = made.issue(host[0] == '*' ? "wild" : host, {host});
    site.tls.cert = {files.cert};
    site.tls.key = {files.key};
  }

  static std::shared_ptr<all_certificates> make(const http_config& config) {
    auto result = all_certificates::make(config, start);
    CAF_REQUIRE(result);
    return *result;
  }

  static std::string error_of(const http_config& config) {
    auto result = all_certificates::make(config, start);
    return result ? std::string{} : describe(result.error());
  }

  static inline const steady::time_point start{1h};
  ::certificates made;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(certificates_actor_tests, fixture)

  CAF_TEST(without a certificate there is no context) {
    CAF_CHECK(make({})->current() == nullptr);
    CAF_CHECK(!has_certificates({}));
  }

  CAF_TEST(a site without its own has the shared one) {
    auto config = config_for("shared");
    add_site(config, "a.org", false);
    add_site(config, "b.org", true);
    add_site(config, "*.c.org", true);
    CAF_CHECK(has_certificates(config));
    const auto all = make(config);
    for (const auto& [name, wanted] :
         std::vector<std::pair<std::string, std::string>>{{"a.org", "shared"},
                                                          {"b.org", "b.org"},
                                                          {"x.c.org", "wild"},
                                                          {"d.org", "shared"},
                                                          {"", "shared"}}) {
      tls_session server{all->current()};
      tls_client client{name};
      client.talk(server);
      CAF_CHECK_EQUAL(client.server_name(), wanted);
    }
  }

  CAF_TEST(a site with a certificate of its own needs no shared one) {
    http_config config;
    add_site(config, "a.org", false);
    add_site(config, "b.org", true);
    CAF_CHECK(make(config)->current()->find_site("b.org").has_value());
    CAF_CHECK(!make(config)->current()->find_site("a.org").has_value());
  }

  CAF_TEST(http2 decides on what is offered) {
    auto config = config_for("a.org");
    for (const auto http2 : {true, false}) {
      config.http2 = http2;
      tls_session server{make(config)->current()};
      tls_client client{"a.org"};
      client.alpn({"h2", "http/1.1"}).talk(server);
      CAF_CHECK_EQUAL(server.info().alpn, http2 ? "h2" : "http/1.1");
    }
  }

  CAF_TEST(mistakes name the file) {
    auto config = config_for("a.org");
    const auto other = made.issue("b.org", {"b.org"});
    auto wrong = config;
    wrong.tls.key = {other.key};
    CAF_CHECK(error_of(wrong).find(other.key) != std::string::npos);
    wrong = config;
    wrong.tls.ticket_key_file = made.file("short", std::string(79, 'x'));
    CAF_CHECK(error_of(wrong).find("holds 79 bytes, expected 80") != std::string::npos);
    wrong.tls.ticket_key_file = "/nowhere";
    CAF_CHECK(error_of(wrong).find("/nowhere: cannot be read") != std::string::npos);
    wrong = config;
    wrong.tls.curves = "P-9";
    CAF_CHECK(error_of(wrong).find("P-9") != std::string::npos);
  }

  CAF_TEST(the ring turns when it is due and not before) {
    auto config = config_for("a.org");
    config.tls.ticket_rotate = 1h;
    const auto keys = make(config);
    const auto first = keys->ring();
    keys->rotate(start + 1h - 1ms);
    CAF_CHECK(keys->ring() == first);
    keys->rotate(start + 1h);
    const auto second = keys->ring();
    CAF_CHECK(second != first);
    CAF_CHECK(second.substr(0, 160) == first.substr(80)); // current became previous, next current
    keys->rotate(start + 2h - 1ms);
    CAF_CHECK(keys->ring() == second);
  }

  CAF_TEST(the ring outlives a reload) {
    auto config = config_for("a.org");
    const auto keys = make(config);
    const auto before = keys->ring();
    auto next = keys->load(config);
    CAF_REQUIRE(next);
    keys->use(std::move(*next));
    CAF_CHECK(keys->ring() == before);
  }

  CAF_TEST(a ring of a file is taken and never turned) {
    auto config = config_for("a.org");
    config.tls.ticket_key_file = made.file("ring", std::string(240, 'k'));
    const auto keys = make(config);
    CAF_CHECK(keys->ring() == std::string(240, 'k'));
    keys->rotate(start + 1000h);
    CAF_CHECK(keys->ring() == std::string(240, 'k'));
  }

  CAF_TEST(an instance that follows another one resumes its sessions) {
    const auto config = config_for("a.org");
    const auto parent = make(config);
    const auto child = make(config);
    CAF_CHECK(!child->follow("short"));
    CAF_CHECK(child->follow(parent->ring()));
    child->rotate(start + 1000h);
    CAF_CHECK(child->ring() == parent->ring());
    tls_session first{parent->current()};
    tls_client client{"a.org"};
    client.talk(first);
    tls_session second{child->current()};
    tls_client again{"a.org"};
    again.resumes(client).talk(second);
    CAF_CHECK(second.info().resumed);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

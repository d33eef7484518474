#define CAF_SUITE h1_session_log
#include "actors/http/h1_session_log.hpp"

#include <regex>

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

struct fixture : session_world {
  fixture() { context.access_log = log; }

  /// The only line so far, from the request on and without the duration.
  std::string line() {
    CAF_REQUIRE_EQUAL(log->lines.size(), 1u);
    const auto& text = log->lines.front();
    CAF_REQUIRE(text.starts_with("192.0.2.1:4711 - - ["));
    const auto timeless =
        std::regex_replace(text.substr(text.find(']') + 2), std::regex{" \\d+\\.\\d{6} "}, " T ");
    return std::regex_replace(timeless, std::regex{" [0-9a-f]{32} "}, " ID ");
  }

  std::shared_ptr<recording_log> log = std::make_shared<recording_log>();
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_log_tests, fixture)

  CAF_TEST(a response is a line) {
    receive(get("/now?x", "Referer: http://r/\r\nUser-Agent: tester\r\n"));
    CAF_CHECK_EQUAL(line(),
                    "\"GET /now?x HTTP/1.1\" 200 6 \"http://r/\" \"tester\" a /now T - - - ID -\n");
  }

  CAF_TEST(a late response is logged with the facts of its head) {
    receive(
        "POST /later?1 HTTP/1.0\r\nHost: a\r\nUser-Agent: tester\r\nContent-Length: 2\r\n\r\nhi");
    CAF_CHECK(log->lines.empty());
    answer("1");
    CAF_CHECK_EQUAL(line(),
                    "\"POST /later?1 HTTP/1.0\" 200 4 \"-\" \"tester\" a /later T - - - ID -\n");
  }

  CAF_TEST(a HEAD has sent no content) {
    receive(request("HEAD", "/fixed"));
    CAF_CHECK_EQUAL(line(), "\"HEAD /fixed HTTP/1.1\" 200 0 \"-\" \"-\" a /fixed T - - - ID -\n");
  }

  CAF_TEST(a request without a route is logged) {
    receive(get("/none"));
    CAF_CHECK_EQUAL(line(), "\"GET /none HTTP/1.1\" 404 14 \"-\" \"-\" - - T - - - ID -\n");
  }

  CAF_TEST(a bad head is logged without its facts) {
    receive("GET  / HTTP/1.1\r\n\r\n");
    CAF_CHECK_EQUAL(line(), "\"-\" 400 16 \"-\" \"-\" - - T - - - - -\n");
  }

  CAF_TEST(a late head is logged) {
    receive("GET /");
    pass(limits().header_timeout);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(line(), "\"-\" 408 20 \"-\" \"-\" - - T - - - - -\n");
  }

  CAF_TEST(a request that was cut tells why) {
    receive(get("/later?1"));
    session->on_lost(close_reason::failed);
    CAF_CHECK_EQUAL(line(),
                    "\"GET /later?1 HTTP/1.1\" 0 0 \"-\" \"-\" a /later T - - - ID failed\n");
  }

  CAF_TEST(an idle connection leaves no line) {
    receive("G");
    session->on_end();
    connect();
    session->on_end();
    CAF_CHECK(log->lines.empty());
  }

  CAF_TEST(pipelined requests are a line each in order) {
    receive(get("/later?1") + get("/now?2"));
    answer("1");
    CAF_REQUIRE_EQUAL(log->lines.size(), 2u);
    CAF_CHECK(log->lines[0].find("/later?1") != std::string::npos);
    CAF_CHECK(log->lines[1].find("/now?2") != std::string::npos);
  }

  CAF_TEST(the format may be JSON) {
    auto config = scripted_config();
    config.access_format = access_format::json;
    context.table = make_table(config);
    receive(get("/now"));
    CAF_REQUIRE_EQUAL(log->lines.size(), 1u);
    CAF_CHECK(log->lines[0].find("\"target\":\"/now\"") != std::string::npos);
    CAF_CHECK(log->lines[0].find("\"host\":\"a\"") != std::string::npos);
  }

  CAF_TEST(behind a trusted proxy the client and its id are logged) {
    auto config = scripted_config();
    config.trusted_proxies = {*parse_address_block("192.0.2.0/24")};
    context.table = make_table(config);
    receive(get("/now", "X-Forwarded-For: 1.2.3.4\r\nX-Request-Id: r-1\r\n"));
    CAF_REQUIRE_EQUAL(log->lines.size(), 1u);
    CAF_CHECK(log->lines.front().starts_with("1.2.3.4 - - ["));
    CAF_CHECK(log->lines.front().find(" r-1 ") != std::string::npos);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

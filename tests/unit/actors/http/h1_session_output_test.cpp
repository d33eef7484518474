#define CAF_SUITE h1_session_output
#include "actors/http/h1_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

constexpr auto full = limits::http::direction_buffer_bytes;
constexpr std::string_view closes = "Connection: close\r\n";
constexpr std::string_view keeps = "Connection: keep-alive\r\n";

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

std::string old_get(std::string_view target, std::string_view fields = "") {
  return "GET " + std::string{target} + " HTTP/1.0\r\nHost: a\r\n" + std::string{fields} + "\r\n";
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_output_tests, session_world)

  CAF_TEST(a response has a date and the server its name) {
    auto config = scripted_config();
    config.server = "some server";
    context.table = make_table(config);
    receive(get("/now"));
    CAF_CHECK(has(transport->output, "\r\nDate: "));
    CAF_CHECK(has(transport->output, " GMT\r\n"));
    CAF_CHECK(has(transport->output, "\r\nServer: some server\r\n"));
  }

  CAF_TEST(HEAD is answered like GET without the content) {
    for (const auto* target : {"/now", "/fixed", "/big?100", "/big?100000", "/none"}) {
      receive(get(target));
      const auto whole = sent();
      receive(request("HEAD", target));
      CAF_CHECK_EQUAL(sent(), whole.substr(0, whole.find("\r\n\r\n") + 4));
    }
  }

CAF_TEST(a 1.0 client has to ask for more than one request) {
  for (const auto* target : {"/now", "/fixed", "/none"}) {
    connect();
    receive(old_get(target, "Connection: keep-alive\r\n"));
    CAF_CHECK(has(sent(), keeps));
    CAF_CHECK(!transport->finished);
    receive(old_get(target));
    const auto text = sent();
    CAF_CHECK(!has(text, keeps));
    CAF_CHECK(transport->finished);
  }
}

CAF_TEST(a client that wants to close is obeyed and told so) {
  for (const auto* target : {"/now", "/fixed", "/none", "/later?1"}) {
    connect();
    receive(get(target, closes) + get("/now"));
    if (handlers->open.count("1"))
      answer("1");
    CAF_CHECK(has(sent(), closes));
    CAF_CHECK(transport->finished);
  }
}

CAF_TEST(the last request of a connection is announced) {
  auto config = scripted_config();
  config.limits.keepalive_requests = 3;
  context.table = make_table(config);
  receive(get("/fixed") + get("/fixed"));
  CAF_CHECK(!has(sent(), closes));
  receive(get("/fixed") + get("/fixed"));
  CAF_CHECK_EQUAL(statuses(), "200");
  CAF_CHECK(transport->finished);
}

CAF_TEST(every response of a draining listener is the last of its connection) {
  listener.draining = true;
  receive(get("/fixed"));
  CAF_CHECK(has(sent(), closes));
  CAF_CHECK(transport->finished);
}

CAF_TEST(large content leaves the shared buffer small) {
  receive(get("/big?" + std::to_string(full)));
  receive(get("/big?" + std::to_string(full + 1)));
  const auto text = sent();
  CAF_CHECK_EQUAL(std::count(text.begin(), text.end(), '#'), static_cast<long>(2 * full + 1));
  CAF_CHECK(context.output.capacity() < 4 * full);
  CAF_CHECK(context.output.empty());
}

CAF_TEST(requests that no route takes are refused by the table) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {get("/none"), "404"},
      {request("DELETE", "/get"), "405"},
      {request("TRACE", "/get"), "405"},
      {request("BREW", "/now"), "501"},
      {"GET / HTTP/1.1\r\nHost: b\r\n\r\n", "421"},
      {"GET https://a/now HTTP/1.1\r\nHost: a\r\n\r\n", "421"},
      {get("/%00"), "400"},
      {request("OPTIONS", "*"), "204"},
  };
  for (const auto& [input, status] : rows) {
    receive(input + get("/now"));
    CAF_CHECK_EQUAL(statuses(), status + " 200");
  }
}

CAF_TEST(a refused method is told which are allowed) {
  receive(request("DELETE", "/get"));
  CAF_CHECK(has(sent(), "\r\nAllow: GET, HEAD"));
}

CAF_TEST(a 204 has neither content nor length) {
  receive(request("OPTIONS", "*"));
  const auto text = sent();
  CAF_CHECK(!has(text, "Content-"));
  CAF_CHECK(text.ends_with("\r\n\r\n"));
}

CAF_TEST(unknown hosts get what the configuration says) {
  const std::string input{"GET / HTTP/1.1\r\nHost: b\r\n\r\n"};
  auto config = scripted_config();
  config.unknown_host = unknown_host::not_found;
  context.table = make_table(config);
  receive(input);
  CAF_CHECK_EQUAL(statuses(), "404");
  config.unknown_host = unknown_host::close;
  context.table = make_table(config);
  receive(get("/now") + input + get("/now"));
  CAF_CHECK_EQUAL(statuses(), "200"); // the one before is sent
  CAF_CHECK_EQUAL(ended(), "rejected");
  CAF_CHECK_EQUAL(rejected("misdirected"), 1u);
}

CAF_TEST(the other scheme is for trusted peers only) {
  const std::string input{"GET https://a/now HTTP/1.1\r\nHost: a\r\n\r\n"};
  receive(input);
  CAF_CHECK_EQUAL(statuses(), "421");
  auto config = scripted_config();
  config.trusted_proxies = {*parse_address_block("192.0.2.0/24")};
  context.table = make_table(config);
  receive(input);
  CAF_CHECK_EQUAL(statuses(), "200");
}

CAF_TEST(answers are counted by route and class) {
  receive(get("/now") + get("/now") + get("/none") + post("/echo", "12345"));
  const std::string requests = "caf_http_requests_total{site=\"a\",route=\"";
  CAF_CHECK_EQUAL(metric(requests + "/now\",code_class=\"2xx\"}"), 2);
  CAF_CHECK_EQUAL(metric(requests + "/echo\",code_class=\"2xx\"}"), 1);
  CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"-\",route=\"-\",code_class=\"4xx\"}"), 1);
  CAF_CHECK_EQUAL(metric("caf_http_received_bytes_total{site=\"a\"}"), 5);
  CAF_CHECK_EQUAL(metric("caf_http_sent_bytes_total{site=\"a\"}"), 15);
}

CAF_TEST(content of one request is not counted for a bad head after it) {
  receive(post("/echo", "12345") + "nonsense\r\n");
  CAF_CHECK_EQUAL(statuses(), "200 400");
  CAF_CHECK_EQUAL(metric("caf_http_received_bytes_total{site=\"-\"}"), 0);
}

CAF_TEST(a request that ends without a status is counted as such) {
  receive(get("/later?1"));
  session->on_lost(close_reason::failed);
  CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/later\",code_class=\"0\"}"),
                  1);
}

CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE h1_session
#include "actors/http/h1_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

constexpr auto full = limits::http::direction_buffer_bytes;

std::string ok(std::string_view body, std::string_view connection = "") {
  std::string result{"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "};
  return result.append(std::to_string(body.size())).append("\r\n").append(connection) + "\r\n" +
         std::string{body};
}

constexpr std::string_view closes = "Connection: close\r\n";

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_tests, session_world)

  CAF_TEST(a handler may answer at once) {
    receive(get("/now/x?q=1"));
    CAF_CHECK_EQUAL(sent(), ok("/now/x?q=1"));
    CAF_CHECK(session->idle());
    CAF_CHECK(!transport->over);
  }

  CAF_TEST(a handler may answer after the content) {
    receive(post("/echo", "hello"));
    CAF_CHECK_EQUAL(sent(), ok("hello"));
    CAF_CHECK_EQUAL(handlers->living, 0u);
    CAF_CHECK_EQUAL(handlers->cancelled, 0u);
  }

  CAF_TEST(a handler may answer in the middle of the content) {
    receive(post("/early", "first").substr(0, post("/early", "first").size() - 2));
    CAF_CHECK_EQUAL(sent(), ok("early"));
    CAF_CHECK(!session->idle());
    receive("st" + get("/now"));
    CAF_CHECK_EQUAL(sent(), ok("/now?"));
    CAF_CHECK_EQUAL(handlers->received, "fir"); // the rest was read away
  }

  CAF_TEST(a handler may answer later) {
    receive(get("/later?1"));
    CAF_CHECK_EQUAL(sent(), "");
    CAF_CHECK(session->waits_for(session->id()));
    answer("1");
    CAF_CHECK_EQUAL(sent(), ok("late"));
    CAF_CHECK(!session->waits_for(session->id()));
    CAF_CHECK_EQUAL(handlers->living, 0u);
  }

  CAF_TEST(pipelined answers are in order whatever their speed) {
    receive(get("/later?1") + get("/now?2") + post("/echo", "3") + get("/later?4") + get("/now?5"));
    CAF_CHECK_EQUAL(sent(), "");
    answer("1", "one");
    CAF_CHECK_EQUAL(sent(), ok("one") + ok("/now?2") + ok("3"));
    answer("4", "four");
    CAF_CHECK_EQUAL(sent(), ok("four") + ok("/now?5"));
    CAF_CHECK(session->idle());
  }

  CAF_TEST(exchange ids are never reused) {
    receive(get("/later?1"));
    const auto first = session->id();
    answer("1");
    receive(get("/later?2"));
    CAF_CHECK(session->id() != first);
    CAF_CHECK(!session->waits_for(first));
  }

  CAF_TEST(what comes while an answer is awaited waits up to a limit) {
    receive(get("/later?1"));
    receive(std::string(full - 1, 'G'));
    CAF_CHECK(transport->reading);
    receive("G");
    CAF_CHECK(!transport->reading);
    answer("1");
    CAF_CHECK(transport->over || transport->finished); // 64 KiB of method are no request
    CAF_CHECK_EQUAL(statuses(), "200 431");
  }

  CAF_TEST(reading goes on once the stash is used up) {
    std::string many;
    while (many.size() < full)
      many += get("/now");
    receive(get("/later?1"));
    receive(many);
    CAF_CHECK(!transport->reading);
    answer("1");
    CAF_CHECK(transport->reading);
    CAF_CHECK(session->idle());
  }

  CAF_TEST(a client that does not read is not served further) {
    transport->room = 1000;
    receive(get("/big?" + std::to_string(full + 1000)) + get("/now") + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "200");
    CAF_CHECK(!transport->reading);
    take(1);
    CAF_CHECK(!transport->reading);
    take(full * 2);
    CAF_CHECK(transport->reading);
    CAF_CHECK_EQUAL(statuses(), "200 200");
  }

  CAF_TEST(output below the limit does not stop the next request) {
    transport->room = 0;
    receive(get("/big?1000") + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "200 200");
    CAF_CHECK(transport->reading);
  }

  CAF_TEST(many small responses to a client that does not read stop as well) {
    transport->room = 0;
    std::string many;
    for (int i = 0; i < 200; ++i)
      many += get("/big?1000");
    receive(many);
    CAF_CHECK(transport->waiting >= full);
    CAF_CHECK(transport->waiting < full + 2000);
    CAF_CHECK(!transport->reading);
    while (transport->waiting > 0)
      take(transport->waiting);
    CAF_CHECK_EQUAL(std::count(transport->output.begin(), transport->output.end(), '#'), 200'000);
  }

  CAF_TEST(a client that waits is told to go on with its content) {
    receive("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    CAF_CHECK_EQUAL(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
    receive("hi");
    CAF_CHECK_EQUAL(sent(), ok("hi"));
  }

  CAF_TEST(a refused client that waits gets no 100 and no further request) {
    receive("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    const auto text = sent();
    CAF_CHECK(text.starts_with("HTTP/1.1 404 "));
    CAF_CHECK(text.find(closes) != text.npos);
    CAF_CHECK(transport->finished);
  }

  CAF_TEST(an unknown expectation is refused) {
    receive(get("/now", "Expect: tea\r\n") + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "417 200");
    receive(post("/echo", "hi", "Expect: tea\r\n") + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "417");
    CAF_CHECK(transport->finished);
  }

  CAF_TEST(the content of a refused request is read away) {
    receive(post("/none", "content") + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "404 200");
    receive("POST /none HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
            "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n" +
            get("/now"));
    CAF_CHECK_EQUAL(statuses(), "404 200");
  }

  CAF_TEST(refused content is read away up to linger_bytes) {
    const auto max = limits().linger_bytes;
    const std::string head = "POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: ";
    receive(head + std::to_string(max) + "\r\n\r\n");
    CAF_CHECK_EQUAL(statuses(), "404");
    receive(std::string(max, 'x') + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "200");
    receive(head + std::to_string(max + 1) + "\r\n\r\n");
    CAF_CHECK(transport->finished);
    CAF_CHECK(!transport->over);
    receive(std::string(max, 'x'));
    CAF_CHECK(!transport->over);
    receive("x");
    CAF_CHECK_EQUAL(ended(), "answered");
  }

  CAF_TEST(chunks of a refused request are read away up to linger_bytes) {
    const auto max = limits().linger_bytes;
    receive("POST /none HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    CAF_CHECK_EQUAL(statuses(), "404");
    for (uint64_t i = 0; i < max; i += 0x1000)
      receive("1000\r\n" + std::string(0x1000, 'x') + "\r\n");
    CAF_CHECK(!transport->over);
    receive("1\r\nx\r\n");
    CAF_CHECK(transport->over.has_value());
  }

  CAF_TEST(content over its limit is refused before it comes) {
    auto config = scripted_config();
    for (auto& route : config.site[0].route)
      route.max_body = 4;
    context.table = make_table(config);
    receive(post("/echo", "1234"));
    CAF_CHECK_EQUAL(statuses(), "200");
    receive(post("/echo", "12345"));
    CAF_CHECK_EQUAL(statuses(), "413");
    CAF_CHECK(transport->finished);
  }

  CAF_TEST(chunks over their limit are refused when they come) {
    auto config = scripted_config();
    for (auto& route : config.site[0].route)
      route.max_body = 4;
    context.table = make_table(config);
    const std::string head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    receive(head + "4\r\n1234\r\n0\r\n\r\n");
    CAF_CHECK_EQUAL(statuses(), "200");
    receive(head + "5\r\n12345\r\n0\r\n\r\n");
    CAF_CHECK_EQUAL(statuses(), "413");
    CAF_CHECK(transport->finished);
    CAF_CHECK_EQUAL(handlers->living, 0u);
  }

  CAF_TEST(bad content whose response has begun cuts the connection) {
    receive("POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    CAF_CHECK_EQUAL(statuses(), "200");
    receive("nonsense\r\n");
    CAF_CHECK_EQUAL(ended(), "rejected");
    CAF_CHECK_EQUAL(rejected("chunk"), 1u);
  }

  CAF_TEST(nothing is parsed after a bad head) {
    receive("GET  / HTTP/1.1\r\n\r\n" + get("/now"));
    CAF_CHECK_EQUAL(statuses(), "400");
    CAF_CHECK(transport->finished);
    CAF_CHECK(!transport->over);
    receive(get("/now"));
    CAF_CHECK_EQUAL(sent(), "");
  }

  CAF_TEST(an empty line after the content is no request) {
    receive(post("/echo", "1") + "\r\n");
    session->on_end();
    CAF_CHECK_EQUAL(ended(), "client");
    CAF_CHECK_EQUAL(rejected("short_request"), 0u);
  }

CAF_TEST(a parser is lent for a head only) {
  receive("GET /now HT");
  auto lent = context.take_parser();
  auto* address = lent.get();
  context.give_parser(std::move(lent));
  receive("TP/1.1\r\nHost: a\r\n\r\n");
  auto first = context.take_parser(); // the session's, given back last
  auto second = context.take_parser();
  CAF_CHECK(first.get() != address);
  CAF_CHECK_EQUAL(second.get(), address);
}

CAF_TEST(losing the connection cancels what is open) {
  receive(get("/later?1"));
  session->on_lost(close_reason::failed);
  session->release();
  CAF_CHECK_EQUAL(handlers->cancelled, 1u);
  CAF_CHECK_EQUAL(handlers->living, 0u);
  CAF_CHECK(!session->waits_for(session->id()));
}

CAF_TEST(losing the connection in the middle of content cancels its task) {
  receive(post("/echo", "content").substr(0, 55));
  session->on_lost(close_reason::failed);
  session->release();
  CAF_CHECK_EQUAL(handlers->cancelled, 1u);
}

CAF_TEST(an open request keeps the configuration that it began with) {
  receive(get("/later?1"));
  std::weak_ptr<const site_table> old = context.table;
  auto config = scripted_config();
  config.site[0].route.resize(1);
  context.table = make_table(config);
  CAF_CHECK(!old.expired());
  answer("1");
  CAF_CHECK(old.expired());
  receive(get("/later?2"));
  CAF_CHECK_EQUAL(statuses(), "200 404");
}

CAF_TEST(an exception of a handler leaves no bytes for another connection) {
  auto thrown = false;
  try {
    receive(get("/now") + get("/throw"));
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  CAF_CHECK(thrown);
  CAF_CHECK(context.output.empty());
}

CAF_TEST_FIXTURE_SCOPE_END()

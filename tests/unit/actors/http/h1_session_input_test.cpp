#define CAF_SUITE h1_session_input
#include "actors/http/h1_session.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"
#include "support/seed.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view closes = "Connection: close\r\n";

/// A request of any kind, good or bad.
std::string random_request(std::mt19937& random) {
  const auto text = std::string(random() % 40, 'c');
  switch (random() % 14) {
    case 0: return get("/now?" + text);
    case 1: return get("/fixed");
    case 2: return request("HEAD", "/fixed");
    case 3: return request("HEAD", "/big?5000");
    case 4: return post("/echo", text);
    case 5: return post("/early", text + "x");
    case 6: return post("/none", text);
    case 7:
      return "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
             "3;x=y\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: t\r\n\r\n";
    case 8: return get("/%2e%2e/x");
    case 9: return get("/now", "Expect: tea\r\n");
    case 10: return request("DELETE", "/get");
    case 11: return "GET /now HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n";
    case 12: return "\r\n" + get("/big?" + std::to_string(random() % 3000));
    default:
      switch (random() % 12) {
        case 0: return get("/now", closes);
        case 1: return "GET / HTTP/1.1\r\nBad Name: x\r\n\r\n";
        case 2: return post("/now", text, "Content-Length: 1\r\n");
        default: return request("OPTIONS", "*");
      }
  }
}

/// What a fresh connection is answered to `input`, sliced by `next`, with FIN at its end.
template <class F>
std::string answers_to(session_world& world, std::string_view input, F next) {
  world.connect();
  while (!input.empty() && !world.transport->over) {
    const auto size = std::min<size_t>(next(), input.size());
    world.receive(input.substr(0, size));
    input.remove_prefix(size);
  }
  if (!world.transport->over)
    world.session->on_end();
  world.session->release();
  return world.sent() + world.ended();
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_input_tests, session_world)

  CAF_TEST(answers do not depend on slices) {
    std::mt19937 random{test_seed()};
    for (int round = 0; round < 60; ++round) {
      std::string input;
      for (auto count = random() % 8 + 1; count > 0; --count)
        input += random_request(random);
      if (random() % 4 == 0)
        input.resize(random() % input.size() + 1);
      const auto whole = answers_to(*this, input, [] { return ~size_t{0}; });
      CAF_REQUIRE_EQUAL(answers_to(*this, input, [] { return size_t{1}; }), whole);
      CAF_REQUIRE_EQUAL(answers_to(*this, input, [&] { return random() % 50 + 1; }), whole);
      CAF_REQUIRE_EQUAL(handlers->living, 0u);
    }
  }

  CAF_TEST(answers do not depend on what the socket takes) {
    std::mt19937 random{test_seed()};
    for (int round = 0; round < 20; ++round) {
      std::string input;
      for (int i = 0; i < 12; ++i)
        input += get("/big?" + std::to_string(random() % 30'000 + 1));
      const auto whole = answers_to(*this, input, [] { return ~size_t{0}; });
      connect();
      transport->room = 0;
      receive(input);
      session->on_end();
      while (!transport->over) {
        CAF_REQUIRE(transport->waiting > 0);
        take(random() % 20'000 + 1);
      }
      auto text = undated(transport->output); // the last one knows that it is the last
      if (const auto at = text.find(closes); at != text.npos)
        text.erase(at, closes.size());
      CAF_REQUIRE_EQUAL(text + "client", whole);
    }
  }

  CAF_TEST(the end of an idle connection is answered by an end) {
    session->on_end();
    CAF_CHECK_EQUAL(ended(), "client");
    connect();
    receive(get("/now"));
    session->on_end();
    CAF_CHECK_EQUAL(ended(), "client");
    CAF_CHECK_EQUAL(rejected("short_request"), 0u);
  }

  CAF_TEST(an end inside a request cuts the connection) {
    const auto content = post("/echo", "content");
    const std::vector<std::string> beginnings{"G", "GET /now HTTP/1.1\r\nHost: a\r\n\r",
                                              content.substr(0, content.size() - 1),
                                              post("/none", "xy").substr(0, 52)};
    for (const auto& input : beginnings) {
      connect();
      receive(input);
      session->on_end();
      CAF_CHECK_EQUAL(ended(), "rejected");
    }
    CAF_CHECK_EQUAL(rejected("short_request"), beginnings.size());
  }

CAF_TEST(a half-closed client gets the response that it waits for) {
  receive(get("/later?1"));
  session->on_end();
  CAF_CHECK_EQUAL(ended(), "open");
  answer("1");
  CAF_CHECK(sent().find(closes) != std::string::npos);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(a half-closed client gets all responses that it waits for) {
  receive(get("/later?1") + get("/now") + get("/later?2") + get("/now"));
  session->on_end();
  answer("1");
  CAF_CHECK(sent().find(closes) == std::string::npos);
  answer("2");
  const auto text = sent();
  CAF_CHECK(text.find(closes) > text.find("late"));
  CAF_CHECK(text.ends_with("/now?"));
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(an end behind an awaited answer and half a request cuts after that answer) {
  receive(get("/later?1") + "GET /no");
  session->on_end();
  answer("1");
  CAF_CHECK_EQUAL(statuses(), "200");
  CAF_CHECK_EQUAL(ended(), "rejected");
}

CAF_TEST(a half - closed client that reads slowly gets its response to the end) {
  transport->room = 10;
  receive(get("/big?1000"));
  session->on_end();
  CAF_CHECK_EQUAL(ended(), "open");
  CAF_CHECK(transport->finished);
  take(500);
  CAF_CHECK_EQUAL(ended(), "open");
  take(5000);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(a last response that is not taken yet is not cut by the end of input) {
  transport->room = 10;
  receive(get("/big?1000", closes));
  session->on_end();
  CAF_CHECK_EQUAL(ended(), "open");
  take(5000);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(an upload without end does not cut the refusal that is on its way) {
  transport->room = 10;
  receive("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n");
  receive(std::string(limits().linger_bytes + 1, 'x'));
  CAF_CHECK_EQUAL(ended(), "open");
  take(5000);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(a half - closed client is probed once with an interim response) {
  receive(get("/later?1"));
  session->on_end();
  pass(999ms);
  CAF_CHECK(!tick());
  pass(1ms);
  CAF_CHECK(tick());
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
  for (int i = 0; i < 3; ++i) {
    pass(1s);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(sent(), "");
  }
  transport->reset = true;
  pass(1s);
  CAF_CHECK(tick());
  CAF_CHECK_EQUAL(ended(), "client");
  session->release();
  CAF_CHECK_EQUAL(handlers->cancelled, 1u);
}

CAF_TEST(clients that could misread an interim response are not probed) {
  const std::vector<std::string> requests{"GET /later?1 HTTP/1.0\r\nHost: a\r\n\r\n",
                                          post("/later?1", "x", "Expect: 100-continue\r\n")};
  for (const auto& input : requests) {
    connect();
    receive(input);
    sent();
    session->on_end();
    pass(1s);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(sent(), "");
    CAF_CHECK_EQUAL(ended(), "open");
  }
}

CAF_TEST(nothing happens after the end) {
  session->on_lost(close_reason::failed);
  receive(get("/now"));
  session->on_end();
  session->on_drained();
  session->on_deadline();
  session->on_lost(close_reason::client);
  CAF_CHECK_EQUAL(sent(), "");
  CAF_CHECK_EQUAL(ended(), "failed");
}

CAF_TEST(what the end of input means is up to the route) {
  for (const auto meaning : {half_close::probe, half_close::serve, half_close::cancel}) {
    auto config = scripted_config();
    for (auto& route : config.site[0].route)
      route.on_half_close = meaning;
    context.table = make_table(config);
    connect();
    receive(get("/later?1"));
    session->on_end();
    if (meaning == half_close::cancel) {
      CAF_CHECK_EQUAL(ended(), "client");
      continue;
    }
    pass(std::chrono::seconds{2});
    CAF_CHECK_EQUAL(tick(), meaning == half_close::probe);
    CAF_CHECK_EQUAL(sent(), meaning == half_close::probe ? "HTTP/1.1 100 Continue\r\n\r\n" : "");
    answer("1");
    CAF_CHECK_EQUAL(statuses(), "200");
  }
}

CAF_TEST(a request over the rate of its route is refused and the connection stays) {
  auto config = scripted_config();
  for (auto& route : config.site[0].route)
    if (route.path == "/now")
      route.rate = {2, 2, 2, rate_key_kind::ip, "", false};
  context.table = make_table(config);
  receive(get("/now") + get("/now") + get("/now") + get("/fixed"));
  const auto text = sent();
  CAF_CHECK(text.find("HTTP/1.1 429 ") != text.npos);
  CAF_CHECK(text.find("Retry-After: 1\r\n") != text.npos);
  CAF_CHECK(text.ends_with("fixed"));
  CAF_CHECK_EQUAL(rejected("rate"), 1u);
  pass(std::chrono::milliseconds{500});
  receive(get("/now") + get("/now"));
  CAF_CHECK_EQUAL(statuses(), "200 429");
}

CAF_TEST(a rate on trial refuses nothing and is counted) {
  auto config = scripted_config();
  for (auto& route : config.site[0].route)
    route.rate = {1, 1, 1, rate_key_kind::route, "", true};
  context.table = make_table(config);
  receive(get("/now") + get("/now") + get("/now"));
  CAF_CHECK_EQUAL(statuses(), "200 200 200");
  CAF_CHECK_EQUAL(rejected("rate"), 0u);
  CAF_CHECK_EQUAL(metric("caf_http_rate_dry_run_total"), 2);
}

CAF_TEST_FIXTURE_SCOPE_END()

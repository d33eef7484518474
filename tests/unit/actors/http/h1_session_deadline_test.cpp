#define CAF_SUITE h1_session_deadline
#include "actors/http/h1_session.hpp"

#include <set>

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const std::string partial = "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n";

struct fixture : session_world {
  /// Nothing happens before `wait` from now, and at it the deadline is due, not a tick earlier.
  void due_after(steady::duration wait) {
    const auto begin = now;
    for (const auto early : {steady::duration::zero(), wait - 1ms}) {
      now = begin + early;
      CAF_CHECK(!tick());
      CAF_CHECK_EQUAL(ended(), "open");
    }
    now = begin + wait;
    CAF_CHECK(tick());
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_deadline_tests, fixture)

  CAF_TEST(a silent connection is cut after first_byte_timeout) {
    due_after(limits().first_byte_timeout);
    CAF_CHECK_EQUAL(ended(), "timeout");
    CAF_CHECK_EQUAL(rejected("idle"), 1u);
    CAF_CHECK_EQUAL(sent(), "");
  }

  CAF_TEST(a deadline that is late still counts) {
    pass(limits().first_byte_timeout + 1ms);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(ended(), "timeout");
  }

  CAF_TEST(an idle connection is cut after keepalive_idle) {
    receive(get("/now"));
    due_after(limits().keepalive_idle);
    CAF_CHECK_EQUAL(ended(), "timeout");
  }

  CAF_TEST(a request that just came in saves an idle connection) {
    receive(get("/now"));
    transport->input_waits = true;
    pass(limits().keepalive_idle);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(ended(), "open");
    CAF_CHECK(session->deadline() > now);
  }

  CAF_TEST(a head has its time from its first byte on) {
    receive("GET /now ");
    pass(limits().header_timeout - 1ms);
    receive("HTTP/1.1\r\n");
    CAF_CHECK(!tick());
    pass(1ms);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(statuses(), "408");
    CAF_CHECK_EQUAL(rejected("slow_request"), 1u);
    CAF_CHECK(transport->finished);
  }

  CAF_TEST(content that stops is refused after body_timeout) {
    receive(partial);
    receive(std::string(500'000, 'x')); // fast enough until then
    due_after(limits().body_timeout);
    CAF_CHECK_EQUAL(statuses(), "408");
    CAF_CHECK_EQUAL(handlers->cancelled, 1u);
    CAF_CHECK(transport->finished);
  }

  CAF_TEST(content below its rate is refused after the grace) {
    receive(partial + "x");
    due_after(limits::http::body_rate_grace);
    CAF_CHECK_EQUAL(statuses(), "408");
  }

  CAF_TEST(content at its rate goes on and is refused once it falls behind) {
    const auto rate = limits().body_min_rate;
    receive(partial);
    for (int second = 1; second <= 20; ++second) {
      receive(std::string(rate, 'x'));
      pass(1s);
      CAF_REQUIRE(!tick() || !transport->finished);
    }
    CAF_CHECK_EQUAL(statuses(), "");
    pass(1ms);
    CAF_CHECK(tick());
    CAF_CHECK_EQUAL(statuses(), "408");
  }

  CAF_TEST(drops of content do not help against the rate) {
    receive(partial);
    int drops = 0;
    while (!transport->finished && drops < 100) {
      pass(1s);
      if (!tick())
        receive("x");
      ++drops;
    }
    CAF_CHECK_EQUAL(drops, 5);
    CAF_CHECK_EQUAL(statuses(), "408");
  }

CAF_TEST(no rate is asked for if it is zero) {
  auto config = scripted_config();
  config.limits.body_min_rate = 0;
  context.table = make_table(config);
  receive(partial + "x");
  due_after(limits().body_timeout);
  CAF_CHECK_EQUAL(statuses(), "408");
}

CAF_TEST(content that is read away slowly cuts the connection) {
  receive("POST /none HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nx");
  CAF_CHECK_EQUAL(statuses(), "404");
  due_after(limits::http::body_rate_grace);
  CAF_CHECK_EQUAL(ended(), "timeout");
}

CAF_TEST(an open request has the time that its handler gives it) {
  receive(get("/later?1"));
  CAF_CHECK(session->deadline() == steady::time_point::max());
}

CAF_TEST(a client that takes nothing is cut after send_timeout) {
  transport->room = 10;
  receive(get("/big?1000"));
  due_after(limits().send_timeout);
  CAF_CHECK_EQUAL(ended(), "timeout");
  CAF_CHECK_EQUAL(rejected("slow_reader"), 1u);
}

CAF_TEST(a slow client that goes on reading is served to the end) {
  transport->room = 0;
  receive(get("/big?10000"));
  while (transport->waiting > 100) {
    pass(limits().send_timeout - 1ms);
    tick();
    CAF_REQUIRE_EQUAL(ended(), "open");
    take(100);
  }
  pass(limits().send_timeout);
  tick();
  take(100);
  CAF_CHECK_EQUAL(ended(), "open");
  CAF_CHECK(session->idle());
}

CAF_TEST(idle time begins when the response was taken) {
  transport->room = 0;
  receive(get("/big?1000"));
  pass(20s);
  take(100'000);
  due_after(limits().keepalive_idle);
  CAF_CHECK_EQUAL(ended(), "timeout");
}

CAF_TEST(a client that stops reading an earlier response is cut although another is awaited) {
  transport->room = 0;
  receive(get("/big?1000") + get("/later?1"));
  due_after(limits().send_timeout);
  CAF_CHECK_EQUAL(ended(), "timeout");
  session->release();
  CAF_CHECK_EQUAL(handlers->cancelled, 1u);
}

CAF_TEST(a last response lingers until its client is done) {
  receive(get("/now", "Connection: close\r\n"));
  CAF_CHECK(transport->finished);
  CAF_CHECK_EQUAL(ended(), "open");
  due_after(limits().linger);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(lingering begins when the response was taken) {
  transport->room = 0;
  receive(get("/big?1000", "Connection: close\r\n"));
  pass(20s);
  CAF_CHECK(!tick());
  take(100'000);
  due_after(limits().linger);
  CAF_CHECK_EQUAL(ended(), "answered");
}

CAF_TEST(a drained idle connection has a second of grace) {
  receive(get("/now"));
  pass(10s);
  listener.draining = true;
  session->drain(nudge_cause::drain);
  due_after(1s);
  CAF_CHECK_EQUAL(ended(), "drained");
}

CAF_TEST(a request that races with a drain is the last one) {
  receive(get("/now"));
  statuses();
  listener.draining = true;
  session->drain(nudge_cause::drain);
  pass(999ms);
  receive(get("/now") + get("/now"));
  CAF_CHECK(sent().find("Connection: close") != std::string::npos);
  CAF_CHECK(transport->finished);
}

CAF_TEST(a drain waits for the open request and makes it the last) {
  receive(get("/later?1"));
  receive(get("/now"));
  listener.draining = true;
  session->drain(nudge_cause::drain);
  pass(20s);
  CAF_CHECK(!tick());
  answer("1");
  const auto text = sent();
  CAF_CHECK(text.find("Connection: close") != text.npos);
  CAF_CHECK(text.find("/now") == text.npos);
  CAF_CHECK(transport->finished);
}

CAF_TEST(a drain does not cut what a client still reads) {
  transport->room = 0;
  receive(get("/big?1000"));
  listener.draining = true;
  session->drain(nudge_cause::drain);
  pass(5s);
  CAF_CHECK(!tick());
  take(100'000);
  due_after(1s);
  CAF_CHECK_EQUAL(ended(), "drained");
}

CAF_TEST(a drain while content is read away ends the connection after it) {
  receive("POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nx");
  CAF_CHECK_EQUAL(statuses(), "200");
  listener.draining = true;
  session->drain(nudge_cause::drain);
  receive("xyz");
  CAF_CHECK(transport->finished);
}

CAF_TEST(an old connection ends with its next response) {
  auto config = scripted_config();
  config.limits.connection_max_age = 100s;
  config.limits.keepalive_idle = 1h;
  context.table = make_table(config);
  connect();
  receive(get("/now"));
  pass(89s);
  CAF_CHECK(!tick());
  receive(get("/now"));
  CAF_CHECK(sent().find("Connection: close") == std::string::npos);
  pass(22s); // 100 s + 10 %
  receive(get("/now"));
  CAF_CHECK(sent().find("Connection: close") != std::string::npos);
  CAF_CHECK_EQUAL(metric("caf_http_nudges_total{cause=\"age\"}"), 1);
}

CAF_TEST(a nudge is counted once by its cause) {
  receive(get("/now"));
  session->drain(nudge_cause::rebalance);
  session->drain(nudge_cause::drain);
  receive(get("/now"));
  CAF_CHECK(sent().find("Connection: close") != std::string::npos);
  CAF_CHECK_EQUAL(metric("caf_http_nudges_total{cause=\"rebalance\"}"), 1);
  CAF_CHECK_EQUAL(metric("caf_http_nudges_total{cause=\"drain\"}"), 0);
}

CAF_TEST(a request that outlives the age of its connection is the last one) {
  auto config = scripted_config();
  config.limits.connection_max_age = 100s;
  context.table = make_table(config);
  connect();
  receive(get("/later?1"));
  pass(111s);
  answer("1");
  CAF_CHECK(sent().find("Connection: close") != std::string::npos);
  CAF_CHECK(transport->finished);
}

CAF_TEST(connections opened together do not end together) {
  std::set<steady::duration> ages;
  for (int i = 0; i < 22; ++i) {
    connect();
    receive(get("/now"));
    auto config = scripted_config();
    config.limits.keepalive_idle = 24h;
    context.table = make_table(config);
    ages.insert(session->deadline() - now);
  }
  const auto age = limits().connection_max_age;
  CAF_CHECK(ages.size() > 5);
  CAF_CHECK(*ages.begin() >= age * 9 / 10);
  CAF_CHECK(*ages.rbegin() <= age * 11 / 10);
}

CAF_TEST_FIXTURE_SCOPE_END()

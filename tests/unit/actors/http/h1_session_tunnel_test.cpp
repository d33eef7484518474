#define CAF_SUITE h1_session_tunnel
#include "actors/http/h1_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const std::string expecting =
    "POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";
const auto patience = scripted_config().limits.body_timeout;

/// What a task has seen, and whether it lives.
struct books {
  std::string received;
  exchange* open = nullptr;
  bool ended = false;
};

/// Invites nobody by itself.
class quiet_task final : public exchange_task {
public:
  quiet_task(books& seen, exchange& open) : seen_(seen) { seen_.open = &open; }
  ~quiet_task() override { seen_.open = nullptr; }
  void on_body(std::span<const char> bytes) override {
    seen_.received.append(bytes.data(), bytes.size());
  }
  void on_body_end() override { seen_.ended = true; }
  bool invites() const override { return false; }

private:
  books& seen_;
};

class quiet_handler final : public route_handler {
public:
  explicit quiet_handler(books& seen) : seen_(seen) {}
  std::unique_ptr<exchange_task> start(exchange& open) const override {
    seen_.ended = false;
    return std::make_unique<quiet_task>(seen_, open);
  }

private:
  books& seen_;
};

struct world : session_world {
  world() {
    auto config = scripted_config();
    config.limits.tunnel_deadline = 5s;
    context.table = *site_table::make(
        std::make_shared<http_config>(config), *session_world::books,
        [this](const route_entry&) -> caf::expected<std::unique_ptr<route_handler>> {
          return std::make_unique<quiet_handler>(seen);
        });
  }
  ~world() { hang_up(); }

  void begin_tunnel(const std::string& early = "") {
    receive(get("/now") + early);
    const field line{"Upgrade", "x", known_field::upgrade};
    seen.ended = false; // of the request
    seen.open->tunnel({&line, 1});
  }

  ::books seen;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_tunnel_tests, world)

  CAF_TEST(after a 101 both directions are bytes) {
    begin_tunnel("GET / early\r\n");
    CAF_CHECK_EQUAL(sent(), "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n"
                            "Upgrade: x\r\n\r\n");
    CAF_CHECK_EQUAL(seen.received, "GET / early\r\n");
    receive("more");
    CAF_CHECK_EQUAL(seen.received, "GET / early\r\nmore");
    seen.open->write("answer");
    CAF_CHECK_EQUAL(sent(), "answer");
    pass(1h);
    CAF_CHECK(!tick());
    seen.open->finish({});
    CAF_CHECK(transport->finished && !seen.open);
  }

  CAF_TEST(the end of a client is told and its tunnel goes on) {
    begin_tunnel();
    session->on_end();
    CAF_CHECK(seen.ended);
    seen.open->write("last");
    seen.open->finish({});
    CAF_CHECK(sent().ends_with("last"));
    CAF_CHECK_EQUAL(ended(), "answered");
  }

CAF_TEST(a paused tunnel keeps what comes for later) {
  begin_tunnel();
  seen.open->pause_content();
  receive("abc");
  session->on_end();
  CAF_CHECK(seen.received.empty() && !seen.ended);
  seen.open->resume_content();
  CAF_CHECK_EQUAL(seen.received, "abc");
  CAF_CHECK(seen.ended);
}

CAF_TEST(a drain gives a tunnel its deadline and a nudge does not ) {
  begin_tunnel();
  session->drain(nudge_cause::drain);
  pass(1h);
  CAF_CHECK(!tick());
  listener.draining = true;
  session->drain(nudge_cause::drain);
  pass(5s - 1ms);
  CAF_CHECK(!tick());
  pass(1ms);
  CAF_CHECK(tick());
  CAF_CHECK_EQUAL(ended(), "drained");
}

CAF_TEST(an invitation is given once and only to who waits) {
  const std::string head = "POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n";
  receive(head + "Expect: 100-continue\r\n\r\n");
  CAF_CHECK_EQUAL(sent(), "");
  seen.open->invite();
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
  seen.open->invite();
  CAF_CHECK_EQUAL(sent(), "");
  receive("ab");
  CAF_CHECK(seen.ended);
  seen.open->respond({200, {}, {}, {}});
  CAF_CHECK_EQUAL(statuses(), "200");
  receive(head + "\r\n");
  seen.open->invite();
  CAF_CHECK_EQUAL(sent(), "");
}

CAF_TEST(who waits for an invitation is not late) {
  receive(expecting);
  pass(2 * patience);
  CAF_REQUIRE(!tick());
  seen.open->invite();
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 100 Continue\r\n\r\n");
  pass(limits::http::body_rate_grace - 1ms); // it has its whole time
  CAF_REQUIRE(!tick());
  pass(1ms);
  CAF_CHECK(tick());
  CAF_CHECK_EQUAL(statuses(), "408");
}

CAF_TEST(who has waited long for an invitation may send without one) {
  receive(expecting);
  pass(2 * patience);
  receive("a");
  pass(limits::http::body_rate_grace - 1ms);
  CAF_REQUIRE(!tick());
  receive("b");
  CAF_CHECK_EQUAL(seen.received, "ab");
}

CAF_TEST(who was answered without an invitation is not late) {
  receive(expecting);
  seen.open->begin({200, {}, {}, {}}, std::nullopt);
  pass(2 * patience);
  CAF_REQUIRE(!tick());
  seen.open->write("end");
  seen.open->finish({});
  CAF_CHECK(sent().ends_with("3\r\nend\r\n0\r\n\r\n"));
  CAF_CHECK_EQUAL(rejected("slow_request"), 0u);
  CAF_CHECK(transport->finished);
}

CAF_TEST(who sends without an invitation needs none any more) {
  receive("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\na");
  seen.open->invite();
  CAF_CHECK_EQUAL(sent(), "");
}

CAF_TEST(a final status without an invitation ends the connection) {
  receive("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  seen.open->respond({403, {}, {}, {}});
  CAF_CHECK(sent().find("Connection: close") != std::string::npos);
}

CAF_TEST(a pause takes no time from the client) {
  const auto size = 100 * scripted_config().limits.body_min_rate; // worth 100 s
  receive("POST /now HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
          std::string(size - 1, 'x'));
  seen.open->pause_content();
  pass(1h);
  seen.open->pause_content();
  pass(1h);
  CAF_REQUIRE(!tick());
  seen.open->resume_content();
  pass(patience - 1ms);
  CAF_REQUIRE(!tick());
  receive("x");
  CAF_CHECK(seen.ended);
}

CAF_TEST(the log says how long an upstream took) {
  auto log = std::make_shared<recording_log>();
  context.access_log = log;
  receive(get("/now"));
  seen.open->note_upstream(1500ms);
  seen.open->respond({200, {}, {}, {}});
  CAF_REQUIRE_EQUAL(log->lines.size(), 1u);
  CAF_CHECK(log->lines[0].find(" 1.500000 ") != std::string::npos);
}

CAF_TEST_FIXTURE_SCOPE_END()

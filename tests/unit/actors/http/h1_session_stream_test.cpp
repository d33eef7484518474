#define CAF_SUITE h1_session_stream
#include "actors/http/h1_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_session_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

constexpr auto full = limits::http::direction_buffer_bytes;
const response plain{200, "text/plain", {}, {}};

struct world : session_world {
  /// The exchange of GET /later?1, or of `text`; a further request is behind it.
  exchange& open(const std::string& text = get("/later?1")) {
    receive(text);
    auto* result = handlers->open.at("1");
    handlers->open.erase("1");
    return *result;
  }

  bool has(const std::string& text, std::string_view part) const {
    return text.find(part) != text.npos;
  }

  // Shares ownership with something, points to nothing that is looked at.
  std::shared_ptr<int> owner = std::make_shared<int>();
  std::shared_ptr<const shared_file> nothing{owner,
                                             reinterpret_cast<const shared_file*>(owner.get())};

  content_part part(uint64_t offset, uint64_t length, std::string before = {}) {
    return {std::move(before), nothing, offset, length};
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_session_stream_tests, world)

  CAF_TEST(parts are sent in order with their length) {
    open().respond(plain, {part(5, 10, "head-"), part(0, 3, "-middle-"), {"-tail", nullptr, 0, 0}});
    CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                            "Content-Length: 31\r\n\r\nhead-[5+10]-middle-[0+3]-tail");
    receive(get("/now"));
    CAF_CHECK_EQUAL(statuses(), "200");
  }

  CAF_TEST(HEAD promises the length of parts and sends none) {
    open(request("HEAD", "/later?1")).respond(plain, {part(0, 10)});
    CAF_CHECK_EQUAL(sent(),
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n");
    CAF_CHECK(transport->files.empty());
  }

CAF_TEST(the next request waits for a file that is on its way) {
  auto& exchange = open();
  transport->room = 200;
  exchange.respond(plain, {part(0, 1000)});
  receive(get("/now"));
  CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 1);
  CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/later\",code_class=\"2xx\"}"),
                  0);
  CAF_CHECK_EQUAL(statuses(), "200");
  transport->room = 100'000;
  take(1000);
  CAF_CHECK_EQUAL(statuses(), "200");
  CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 0);
  CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/later\",code_class=\"2xx\"}"),
                  1);
}

CAF_TEST(a file that fails on its way is counted with what was sent) {
  auto log = std::make_shared<recording_log>();
  context.access_log = log;
  auto& exchange = open();
  transport->room = 400; // the head takes some of it
  exchange.respond(plain, {part(0, 1000)});
  CAF_CHECK(log->lines.empty());
  const auto waiting = transport->waiting;
  session->on_lost(close_reason::failed);
  CAF_REQUIRE_EQUAL(log->lines.size(), 1u);
  CAF_CHECK(has(log->lines[0], " 200 " + std::to_string(1000 - waiting) + " "));
  CAF_CHECK(has(log->lines[0], " failed\n"));
  CAF_CHECK_EQUAL(metric("caf_http_requests_in_flight{state=\"write\"}"), 0);
}

CAF_TEST(a client that does not take its file is cut) {
  auto& exchange = open();
  transport->room = 0;
  exchange.respond(plain, {part(0, 1000)});
  pass(limits().send_timeout - 1ms);
  CAF_CHECK(!tick());
  pass(1ms);
  CAF_CHECK(tick());
  CAF_CHECK_EQUAL(ended(), "timeout");
  CAF_CHECK_EQUAL(rejected("slow_reader"), 1u);
}

CAF_TEST(a stream of unknown length is chunked) {
  auto& exchange = open();
  exchange.begin(plain, std::nullopt);
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n");
  exchange.write("hello");
  exchange.write("");
  CAF_CHECK_EQUAL(sent(), "5\r\nhello\r\n");
  const field trailer{"x-sum", "1"};
  exchange.finish({&trailer, 1});
  CAF_CHECK_EQUAL(sent(), "0\r\nx-sum: 1\r\n\r\n");
  receive(get("/now"));
  CAF_CHECK_EQUAL(statuses(), "200");
}

CAF_TEST(a large chunk is framed as a small one) {
  auto& exchange = open();
  exchange.begin(plain, std::nullopt);
  sent();
  const std::string large(full + 1, 'x');
  exchange.write(large);
  exchange.finish();
  CAF_CHECK_EQUAL(sent(), "10001\r\n" + large + "\r\n0\r\n\r\n");
}

CAF_TEST(a stream of known length has to keep to it) {
  for (const auto* content : {"1234", "123456"}) {
    connect();
    auto& exchange = open();
    exchange.begin(plain, 5);
    exchange.write(content);
    if (ended() == "open")
      exchange.finish();
    CAF_CHECK_EQUAL(ended(), "aborted");
  }
  connect();
  auto& exchange = open();
  exchange.begin(plain, 5);
  exchange.write("12345");
  exchange.finish();
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                          "Content-Length: 5\r\n\r\n12345");
  CAF_CHECK_EQUAL(ended(), "open");
}

CAF_TEST(an old client reads a stream until the connection closes) {
  auto& exchange = open("GET /later?1 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
  exchange.begin(plain, std::nullopt);
  exchange.write("content");
  exchange.finish();
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                          "Connection: close\r\n\r\ncontent");
  CAF_CHECK(transport->finished);
}

CAF_TEST(HEAD gets the head of a stream only) {
  auto& exchange = open(request("HEAD", "/later?1"));
  exchange.begin(plain, std::nullopt);
  exchange.write("content");
  exchange.finish();
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                          "Transfer-Encoding: chunked\r\n\r\n");
  CAF_CHECK_EQUAL(ended(), "open");
}

CAF_TEST(a stream has no room while a client does not read) {
  auto& exchange = open();
  transport->room = 1000;
  exchange.begin(plain, std::nullopt);
  CAF_CHECK(exchange.has_room());
  for (size_t i = 0; i < full / 1024 + 2; ++i)
    exchange.write(std::string(1024, 'x'));
  CAF_CHECK(!exchange.has_room());
  transport->room = ~uint64_t{0};
  take(~uint64_t{0});
  CAF_CHECK(exchange.has_room());
  exchange.finish();
  CAF_CHECK_EQUAL(ended(), "open");
}

CAF_TEST(an aborted stream ends its connection and its task) {
  auto& exchange = open(post("/later?1", "x"));
  exchange.begin(plain, std::nullopt);
  exchange.write("part");
  exchange.abort();
  CAF_CHECK_EQUAL(ended(), "aborted");
  session->release();
  CAF_CHECK_EQUAL(handlers->living, 0u);
}

CAF_TEST(content goes on to arrive while a response is streamed) {
  transport->room = ~uint64_t{0};
  receive("POST /later?1 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n12345");
  CAF_CHECK_EQUAL(handlers->received, "12345");
  // the task has no end of content yet, so the exchange is the session itself
  session->begin(plain, std::nullopt);
  receive("67890");
  CAF_CHECK_EQUAL(handlers->received, "1234567890");
  session->finish({});
  CAF_CHECK_EQUAL(ended(), "open");
}

CAF_TEST(paused content is kept back and not late) {
  receive("POST /later?1 HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
  session->pause_content();
  receive(std::string(full, 'x'));
  CAF_CHECK(handlers->received.empty());
  CAF_CHECK(!transport->reading);
  pass(limits().body_timeout * 10);
  CAF_CHECK(!tick());
  session->resume_content();
  CAF_CHECK_EQUAL(handlers->received.size(), full);
  CAF_CHECK(transport->reading);
}

CAF_TEST(content that is paused at its last byte ends when it goes on) {
  handlers->pauses = true;
  for (const auto size : {size_t{1}, full, 2 * full}) {
    receive("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
            "\r\n\r\n");
    receive(std::string(size, 'x'));
    CAF_CHECK_EQUAL(sent(), "");
    session->resume_content();
    CAF_CHECK_EQUAL(statuses(), "200");
    CAF_CHECK(session->idle());
  }
  receive(post("/echo", "whole") + get("/now")); // the same with a request behind it
  session->resume_content();
  CAF_CHECK_EQUAL(statuses(), "200 200");
  CAF_CHECK_EQUAL(ended(), "open");
}

CAF_TEST(interim responses go to clients that can read them) {
  auto& exchange = open();
  const field link{"link", "</a.css>"};
  exchange.inform(103, {&link, 1});
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n");
  connect();
  auto& old = open("GET /later?1 HTTP/1.0\r\nHost: a\r\n\r\n");
  old.inform(103, {&link, 1});
  CAF_CHECK_EQUAL(sent(), "");
}

CAF_TEST(the first piece of a stream goes with its head) {
  auto& exchange = open();
  transport->room = 0;
  auto first = plain;
  first.body = "abc";
  exchange.begin(first, 5);
  const auto text = sent();
  CAF_CHECK(text.ends_with("Content-Length: 5\r\n\r\nabc"));
  exchange.write("de");
  exchange.finish({});
  CAF_CHECK_EQUAL(sent(), "de");
}

CAF_TEST(an origin speaks for itself) {
  const field lines[]{{"Server", "origin", known_field::server},
                      {"Date", "Thu, 01 Jan 1970 00:00:00 GMT", known_field::date}};
  auto& exchange = open();
  exchange.respond({200, {}, lines, "x", response_source::origin});
  CAF_CHECK_EQUAL(sent(), "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nServer: origin\r\n\r\nx");
}

CAF_TEST_FIXTURE_SCOPE_END()

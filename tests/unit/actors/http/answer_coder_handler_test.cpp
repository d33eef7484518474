#define CAF_SUITE answer_coder_handler
#include "actors/http/answer_coder_handler.hpp"

#include <zlib.h>

#include <deque>
#include <functional>

#include <caf/test/unit_test.hpp>

#include "actors/http/file_limits.hpp"
#include "support/http/fake_exchange.hpp"
#include "support/http/queued_workers.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

/// What a client makes of gzip that is not whole yet.
std::string unzipped(const std::string& bytes) {
  z_stream stream{};
  CAF_REQUIRE(inflateInit2(&stream, 15 + 16) == Z_OK);
  std::string result(1 << 20, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const auto outcome = inflate(&stream, Z_SYNC_FLUSH);
  CAF_CHECK(outcome == Z_OK || outcome == Z_STREAM_END || outcome == Z_BUF_ERROR);
  result.resize(result.size() - stream.avail_out);
  inflateEnd(&stream);
  return result;
}

/// A handler that says what a test wants.
struct scripted final : route_handler {
  std::unique_ptr<exchange_task> start(exchange& open) const override { return script(open); }
  std::function<std::unique_ptr<exchange_task>(exchange&)> script;
};

/// A handler's part that waits.
struct waiting final : exchange_task {
  explicit waiting(int& rooms) : rooms(rooms) {}
  void on_body(std::span<const char>) override {}
  void on_body_end() override {}
  void on_room() override { ++rooms; }
  int& rooms;
};

struct fixture {
  fixture() : entry(make_entry(books, route)), loop(nullptr, counters, nullptr, 0, now) {
    open.entry = &entry;
    open.loop = &loop;
    open.view.fields = &fields;
  }

  /// Lets a handler that does not wait say something.
  std::unique_ptr<exchange_task> say(std::function<void(exchange&)> script) {
    return run([&](exchange& seen) {
      script(seen);
      return nullptr;
    });
  }

  /// Lets a handler begin, whose exchange is `inner` afterwards.
  std::unique_ptr<exchange_task> begin(const response& head, std::optional<uint64_t> length = {}) {
    return run([&](exchange& seen) {
      inner = &seen;
      seen.begin(head, length);
      return std::make_unique<waiting>(rooms);
    });
  }

  std::unique_ptr<exchange_task>
  run(std::function<std::unique_ptr<exchange_task>(exchange&)> script) {
    auto handler = std::make_unique<scripted>();
    handler->script = std::move(script);
    coder = std::make_unique<answer_coder_handler>(std::move(handler));
    return coder->start(open);
  }

  /// Streams `text` in two pieces. @returns what a client has after the first
  std::string stream(std::string_view text, std::optional<uint64_t> length = {},
                     std::string_view type = "text/plain") {
    std::string first;
    say([&](exchange& seen) {
      seen.begin({200, type, {}, {}}, length);
      seen.write(text.substr(0, text.size() / 2));
      first = open.given->body;
      seen.write(text.substr(text.size() / 2));
      seen.finish();
    });
    return first;
  }

  void accept(std::string_view value) {
    fields.push_back({"Accept-Encoding", value, known_field::accept_encoding});
  }

  metrics books;
  http_route route;
  route_entry entry;
  steady::time_point now;
  std::shared_ptr<const http_metrics> counters = std::make_shared<http_metrics>(books);
  std::shared_ptr<queued_workers> workers = std::make_shared<queued_workers>();
  loop_context loop;
  field_list fields;
  fake_exchange open;
  exchange* inner = nullptr;
  int rooms = 0;
  std::unique_ptr<answer_coder_handler> coder;
  const std::string text = [] {
    std::string result;
    for (auto i = 0; i < 500; ++i)
      result += "line " + std::to_string(i) + '\n';
    return result;
  }();
  const std::string large = [this] {
    std::string result;
    while (result.size() <= limits::http::coding_inline_bytes)
      result += text;
    return result;
  }();
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(answer_coder_tests, fixture)

  CAF_TEST(a streamed answer is coded and each piece reaches the client) {
    accept("gzip");
    const auto first = stream(text);
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
    CAF_CHECK_EQUAL(unzipped(first), text.substr(0, text.size() / 2));
    CAF_CHECK_EQUAL(unzipped(open.given->body), text);
    CAF_CHECK_LESS(open.given->body.size(), text.size() / 2);
    CAF_CHECK(!open.streaming);
  }

  CAF_TEST(what an origin said goes through the coder with its first piece) {
    accept("gzip");
    const field type{"Content-Type", "text/html", known_field::content_type};
    say([&](exchange& seen) {
      seen.begin({200, {}, {&type, 1}, text, response_source::origin}, {});
      seen.finish();
    });
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(unzipped(open.given->body), text);
  }

  CAF_TEST(a length that is known is not promised when the content is coded) {
    accept("gzip");
    stream(text, text.size());
    CAF_CHECK(!open.promised);
    CAF_CHECK_EQUAL(unzipped(open.given->body), text);
  }

  CAF_TEST(who does not ask for it gets the plain form and is told that others may not) {
    stream(text, text.size());
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
    CAF_CHECK(open.promised == std::optional<uint64_t>{text.size()});
    CAF_CHECK_EQUAL(open.given->body, text);
  }

  CAF_TEST(what is not worth it stays as it is) {
    accept("gzip");
    stream(text, 1023);
    CAF_CHECK_EQUAL(open.answered_field("vary"), "");
    open.given.reset();
    stream(text, {}, "image/png");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "");
    CAF_CHECK_EQUAL(open.given->body, text);
  }

  CAF_TEST(who asks for a part gets the plain form) {
    accept("gzip");
    fields.push_back({"Range", "bytes=0-1", known_field::range});
    stream(text);
    CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "");
    CAF_CHECK_EQUAL(open.given->body, text);
    for (const auto& [range, varies] :
         {std::pair{"bytes 0-1/1024", true}, std::pair{"bytes 0-1/1023", false},
          std::pair{"bytes 0-1/*", true}}) {
      open.given.reset();
      const field line{"Content-Range", range};
      say([&](exchange& seen) { seen.respond({206, "text/plain", {&line, 1}, "ab"}); });
      CAF_CHECK_EQUAL(!open.answered_field("vary").empty(), varies);
    }
  }

  CAF_TEST(a whole answer is coded at once) {
    accept("gzip");
    const field lines[]{{"Accept-Ranges", "bytes"}, {"ETag", "\"a\""}, {"Digest", "sha-256=x"}};
    const auto task = say([&](exchange& seen) { seen.respond({200, "text/plain", lines, text}); });
    CAF_CHECK(task == nullptr);
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(open.answered_field("etag"), "W/\"a-gzip\"");
    CAF_CHECK_EQUAL(open.answered_field("accept-ranges"), "");
    CAF_CHECK_EQUAL(open.answered_field("digest"), "");
    CAF_CHECK_EQUAL(unzipped(open.given->body), text);
  }

  CAF_TEST(the handler sees its own tag and a 304 repeats that of the client) {
    accept("gzip");
    fields.push_back({"If-None-Match", "W/\"a-gzip\"", known_field::if_none_match});
    fields.push_back({"X-A", "1", known_field::other});
    const field tag{"ETag", "\"a\""};
    say([&](exchange& seen) {
      CAF_CHECK_EQUAL(std::string{seen.request().fields->first(known_field::if_none_match)},
                      "W/\"a-gzip\", \"a\"");
      CAF_CHECK_EQUAL(std::string{seen.request().fields->find("x-a")->value}, "1");
      seen.respond({304, {}, {&tag, 1}, {}});
    });
    CAF_CHECK_EQUAL(open.answered_field("etag"), "W/\"a-gzip\"");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
  }

  CAF_TEST(a tag of another form stays as it is) {
    accept("gzip");
    fields.push_back({"If-None-Match", "W/\"a-br\", \"b\"", known_field::if_none_match});
    const field tag{"ETag", "\"b\""};
    say([&](exchange& seen) {
      CAF_CHECK_EQUAL(std::string{seen.request().fields->first(known_field::if_none_match)},
                      "W/\"a-br\", \"b\"");
      seen.respond({304, {}, {&tag, 1}, {}});
    });
    CAF_CHECK_EQUAL(open.answered_field("etag"), "\"b\"");
  }

  CAF_TEST(HEAD says what GET would but for the length) {
    accept("gzip");
    open.view.method = method::head;
    say([&](exchange& seen) {
      seen.begin({200, "text/plain", {}, {}}, 5'000);
      seen.finish();
    });
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "Accept-Encoding");
    CAF_CHECK(!open.promised);
    CAF_CHECK_EQUAL(open.given->body, "");
  }

  CAF_TEST(a large answer is coded by a worker) {
    loop.workers = workers;
    accept("gzip");
    const auto task = say([&](exchange& seen) { seen.respond({200, "text/plain", {}, large}); });
    CAF_REQUIRE(task != nullptr);
    CAF_CHECK(!open.given);
    CAF_REQUIRE(workers->step());
    CAF_CHECK_EQUAL(unzipped(open.given->body), large);
  }

  CAF_TEST(what follows a large piece waits for the worker that codes it) {
    loop.workers = workers;
    accept("gzip");
    const auto task = begin({200, "text/plain", {}, "first "});
    CAF_CHECK_EQUAL(unzipped(open.given->body), "first ");
    inner->write(large);
    inner->write("and the rest");
    CAF_CHECK(!inner->has_room());
    task->on_room(); // the client has taken the head
    CAF_CHECK_EQUAL(rooms, 0);
    CAF_CHECK_EQUAL(unzipped(open.given->body), "first ");
    CAF_REQUIRE(workers->step());
    CAF_CHECK_EQUAL(unzipped(open.given->body), "first " + large + "and the rest");
    CAF_CHECK_EQUAL(rooms, 1);
    CAF_CHECK(inner->has_room());
    inner->write(large);
    inner->finish();
    CAF_CHECK(open.streaming);
    CAF_REQUIRE(workers->step());
    CAF_CHECK(!open.streaming);
    CAF_CHECK_EQUAL(unzipped(open.given->body), "first " + large + "and the rest" + large);
  }

  CAF_TEST(a large head waits for its worker too) {
    loop.workers = workers;
    accept("gzip");
    const auto task = begin({200, "text/plain", {}, large});
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(open.given->body, "");
    CAF_REQUIRE(workers->step());
    CAF_CHECK_EQUAL(unzipped(open.given->body), large);
  }

  CAF_TEST(an answer that is cut does not wait for a worker) {
    loop.workers = workers;
    accept("gzip");
    const auto task = begin({200, "text/plain", {}, {}});
    inner->write(large);
    inner->abort();
    CAF_CHECK(open.aborted);
    inner->write("more");
    inner->finish();
    CAF_REQUIRE(workers->step());
    CAF_CHECK_EQUAL(open.given->body, "");
    CAF_CHECK(open.streaming);
  }

  CAF_TEST(beyond so many streams the plain form is sent) {
    accept("gzip");
    std::deque<fake_exchange> others(limits::http::coded_streams + 1, open);
    std::vector<std::unique_ptr<exchange_task>> tasks;
    auto handler = std::make_unique<scripted>();
    handler->script = [this](exchange& seen) {
      seen.begin({200, "text/plain", {}, text}, {});
      return std::make_unique<waiting>(rooms);
    };
    coder = std::make_unique<answer_coder_handler>(std::move(handler));
    for (auto& other : others)
      tasks.push_back(coder->start(other));
    CAF_CHECK_EQUAL(others[limits::http::coded_streams - 1].answered_field("content-encoding"),
                    "gzip");
    CAF_CHECK_EQUAL(others.back().answered_field("content-encoding"), "");
    CAF_CHECK_EQUAL(others.back().answered_field("vary"), "Accept-Encoding");
    tasks.pop_back(); // was not counted
    tasks.pop_back();
    const auto task = coder->start(open);
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
  }

  CAF_TEST(a worker that comes too late tells nobody) {
    loop.workers = workers;
    accept("gzip");
    auto task = begin({200, "text/plain", {}, {}});
    inner->write(large);
    task.reset();
    CAF_REQUIRE(workers->step());
    CAF_CHECK_EQUAL(open.given->body, "");
  }

  CAF_TEST_FIXTURE_SCOPE_END()

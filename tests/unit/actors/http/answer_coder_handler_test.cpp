#define CAF_SUITE answer_coder_handler
#include "actors/http/answer_coder_handler.hpp"

#include <zlib.h>

#include <caf/test/unit_test.hpp>

#include "support/http/fake_exchange.hpp"

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

struct fixture {
  fixture() : entry(make_entry(books, route)), loop(nullptr, counters, nullptr, 0, now) {
    open.entry = &entry;
    open.loop = &loop;
    open.view.fields = &fields;
  }

  /// Streams `text` in two pieces. @returns what a client has after the first
  std::string stream(std::string_view text, std::optional<uint64_t> length = {},
                     std::string_view type = "text/plain") {
    coder.emplace(open, entry);
    coder->begin(open, {200, type, {}, {}}, length);
    coder->write(open, text.substr(0, text.size() / 2));
    auto first = open.given->body;
    coder->write(open, text.substr(text.size() / 2));
    coder->finish(open);
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
  loop_context loop;
  field_list fields;
  fake_exchange open;
  std::optional<answer_coder> coder;
  const std::string text = [] {
    std::string result;
    for (auto i = 0; i < 500; ++i)
      result += "line " + std::to_string(i) + '\n';
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
    coder.emplace(open, entry);
    const field type{"Content-Type", "text/html", known_field::content_type};
    coder->begin(open, {200, {}, {&type, 1}, text, response_source::origin}, {});
    coder->finish(open);
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

  CAF_TEST(what is not worth it or forbidden stays as it is) {
    accept("gzip");
    stream(text, 1023);
    CAF_CHECK_EQUAL(open.answered_field("vary"), "");
    open.given.reset();
    stream(text, {}, "image/png");
    CAF_CHECK_EQUAL(open.answered_field("vary"), "");
    open.given.reset();
    fields.push_back({"Range", "bytes=0-1", known_field::range});
    stream(text);
    CAF_CHECK_EQUAL(open.answered_field("vary"), "");
    CAF_CHECK_EQUAL(open.given->body, text);
  }

  CAF_TEST(a route may say no) {
    entry.config.compress = false;
    accept("gzip");
    stream(text);
    CAF_CHECK_EQUAL(open.given->body, text);
  }

  CAF_TEST(a whole answer is coded at once) {
    accept("gzip");
    coder.emplace(open, entry);
    coder->respond(open, {200, "text/plain", {}, text});
    CAF_CHECK_EQUAL(open.answered_field("content-encoding"), "gzip");
    CAF_CHECK_EQUAL(unzipped(open.given->body), text);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

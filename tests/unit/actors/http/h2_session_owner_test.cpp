#define CAF_SUITE h2_session_owner
#include "actors/http/h2_session.hpp"

#include <caf/test/unit_test.hpp>

#include "support/h2_client.hpp"
#include "support/h2_scripts.hpp"

using namespace caf_app::http;
using namespace std::chrono_literals;

// Windows, bodies, and the end of a connection, as its owner and the client see them.

namespace {

// The content of `stream` that the client has received, frames of it, and whether it ended.
struct content {
  std::string bytes;
  size_t frames = 0;
  size_t largest = 0;
  bool ended = false;
};

content content_of(const std::vector<h2::received>& frames, uint32_t stream) {
  content result;
  for (const auto& each : frames) {
    if (each.stream != stream || (each.type != h2::data && each.type != h2::headers))
      continue;
    result.ended = (each.flags & h2::end_stream) != 0;
    if (each.type == h2::data) {
      result.bytes += each.payload;
      result.largest = std::max(result.largest, each.payload.size());
      ++result.frames;
    }
  }
  return result;
}

uint32_t window_given(const std::vector<h2::received>& frames, uint32_t stream) {
  uint32_t result = 0;
  for (const auto& each : frames)
    if (each.type == h2::window_update && each.stream == stream)
      result += h2::number(each.payload);
  return result;
}

bool begin(h2_client& client, int32_t id, std::optional<uint64_t> length = {},
           uint16_t status = 200) {
  h2_response_head head;
  head.status = status;
  head.content_length = length;
  return client.session.respond(id, head, h2_content::follows);
}

void respond(h2_client& client, int32_t id, std::string_view body, uint16_t status = 200) {
  CAF_REQUIRE(begin(client, id, body.size(), status));
  client.session.write(id, body);
  client.session.finish(id);
  client.session.release(id);
  client.pump();
}

h2_client connected(std::string_view settings, std::string_view bytes) {
  return h2_client{h2_owner::silent, {}, h2::hello(settings).append(bytes)};
}

} // namespace

CAF_TEST(a window of one byte gets one byte at a time) {
  auto client = connected(h2::setting(4, 1), h2::get(1));
  respond(client, 1, "abc");
  CAF_CHECK_EQUAL(content_of(client.frames(), 1).bytes, "a");
  client.send(h2::window(1, 1));
  CAF_CHECK_EQUAL(content_of(client.frames(), 1).bytes, "b");
  client.send(h2::window(1, 1));
  const auto last = content_of(client.frames(), 1);
  CAF_CHECK_EQUAL(last.bytes, "c");
  CAF_CHECK(last.ended);
}

CAF_TEST(settings in the middle of a response change the window of open streams) {
  auto client = connected(h2::setting(4, 3), h2::get(1));
  respond(client, 1, "abcdefgh");
  CAF_CHECK_EQUAL(content_of(client.frames(), 1).bytes, "abc");
  client.send(h2::frame(h2::settings, h2::none, 0, h2::setting(4, 5)));
  CAF_CHECK_EQUAL(content_of(client.frames(), 1).bytes, "de");
  client.send(h2::frame(h2::settings, h2::none, 0, h2::setting(4, 0))); // window is -5 now
  client.send(h2::window(1, 5));
  CAF_CHECK_EQUAL(content_of(client.frames(), 1).bytes, "");
  client.send(h2::window(1, 3));
  const auto last = content_of(client.frames(), 1);
  CAF_CHECK_EQUAL(last.bytes, "fgh");
  CAF_CHECK(last.ended);
}

CAF_TEST(the window of the connection bounds all streams together) {
  auto client = connected(h2::setting(4, 1 << 20), h2::get(1) + h2::get(3));
  const std::string body(60'000, 'a');
  respond(client, 1, body);
  respond(client, 3, body);
  auto frames = client.frames();
  CAF_CHECK_EQUAL(content_of(frames, 1).bytes.size() + content_of(frames, 3).bytes.size(), 65535u);
  client.send(h2::window(0, 100'000));
  frames = client.frames();
  CAF_CHECK(content_of(frames, 1).ended || content_of(frames, 3).ended);
}

CAF_TEST(frames are never larger than the client allows) {
  auto client = connected(h2::setting(4, 1 << 20), h2::get(1));
  respond(client, 1, std::string(50'000, 'a'));
  const auto found = content_of(client.frames(), 1);
  CAF_CHECK_EQUAL(found.bytes.size(), 50'000u);
  CAF_CHECK_LESS_OR_EQUAL(found.largest, 16384u);
}

CAF_TEST(an urgent response overtakes one that is not ) {
  auto client = connected(h2::setting(4, 1 << 20),
                          h2::section(1, h2::request("GET", "/", {{"priority", "u=7"}}), 1) +
                              h2::section(3, h2::request("GET", "/", {{"priority", "u=0"}}), 1));
  for (const auto id : {1, 3}) {
    CAF_REQUIRE(begin(client, id));
    client.session.write(id, std::string(60'000, 'a'));
    client.session.finish(id);
  }
  client.pump();
  const auto frames = client.frames();
  CAF_CHECK_EQUAL(content_of(frames, 3).bytes.size(), 60'000u);
  CAF_CHECK_EQUAL(content_of(frames, 1).bytes.size(), 5'535u);
}

CAF_TEST(a client gets its window back only when the owner has consumed) {
  auto client = connected("", h2::post(1) + h2::body(1, std::string(16384, 'a'), h2::none) +
                                  h2::body(1, std::string(16384, 'a'), h2::none));
  client.pump();
  CAF_CHECK_EQUAL(window_given(client.frames(), 1), 0u);
  client.session.consumed(1, 32768);
  client.pump();
  CAF_CHECK_EQUAL(window_given(client.frames(), 1), 32768u);
}

CAF_TEST(a client that ignores its window loses the stream) {
  auto client = connected("", h2::post(1));
  for (auto i = 0; i < 5; ++i)
    client.send(h2::body(1, std::string(16384, 'a'), h2::none));
  CAF_CHECK_EQUAL(client.summary(), "1:rst(FLOW_CONTROL_ERROR)");
  CAF_CHECK(client.log.ends_with("reset 1 FLOW_CONTROL_ERROR; "));
}

CAF_TEST(one stream that nobody reads does not stall the others) {
  h2_client client{h2_owner::silent};
  client.send(h2::hello());
  size_t given = 1024 * 1024; // the connection's
  for (uint32_t id = 1; id < 199; id += 2) {
    client.send(h2::post(id));
    for (auto i = 0; i < 4; ++i) {
      CAF_REQUIRE(given >= 16384);
      given -= 16384;
      client.send(h2::body(id, std::string(16384, 'a'), h2::none));
      given += window_given(client.frames(), 0);
    }
  }
  CAF_CHECK(!client.session.closing());
}

CAF_TEST(HEAD and 204 and 304 end with their head) {
  auto client = connected("", h2::section(1, h2::request("HEAD"), 1) + h2::get(3) + h2::get(5));
  respond(client, 1, "abc");
  respond(client, 3, "", 204);
  respond(client, 5, "", 304);
  const auto frames = client.frames();
  for (const auto id : {1u, 3u, 5u}) {
    CAF_CHECK(content_of(frames, id).ended);
    CAF_CHECK_EQUAL(content_of(frames, id).frames, 0u);
  }
}

CAF_TEST(trailers follow the content) {
  auto client = connected("", h2::get(1) + h2::get(3));
  const field trailer{"X-Sum", "1"};
  for (const auto id : {1, 3}) {
    CAF_REQUIRE(begin(client, id));
    if (id == 1)
      client.session.write(id, "abc");
    client.session.finish(id, {&trailer, 1});
  }
  client.pump();
  const auto frames = client.frames();
  for (const auto id : {1u, 3u}) {
    CAF_CHECK(content_of(frames, id).ended);
    const auto heads = std::count_if(frames.begin(), frames.end(), [id](const h2::received& each) {
      return each.type == h2::headers && each.stream == id;
    });
    CAF_CHECK_EQUAL(heads, 2);
  }
}

CAF_TEST(an interim response comes before the final one) {
  auto client = connected("", h2::post(1));
  h2_response_head head;
  head.status = 100;
  CAF_CHECK(client.session.interim(1, head));
  client.send(h2::body(1, "a"));
  respond(client, 1, "ok");
  CAF_CHECK_EQUAL(client.summary(), "1:0 1:200");
  CAF_CHECK(!client.session.interim(1, head));
}

CAF_TEST(content that breaks its promise resets the stream) {
  auto client = connected("", h2::get(1) + h2::get(3) + h2::get(5));
  CAF_REQUIRE(begin(client, 1, 2));
  client.session.write(1, "abc");
  CAF_REQUIRE(begin(client, 3, 2));
  client.session.write(3, "a");
  client.session.finish(3);
  CAF_REQUIRE(begin(client, 5, 2));
  client.session.write(5, "a");
  client.session.release(5); // its work died
  client.pump();
  const auto summary = client.summary();
  for (const auto id : {"1", "3", "5"})
    CAF_CHECK(summary.find(std::string{id} + ":rst(INTERNAL_ERROR)") != std::string::npos);
}

CAF_TEST(a field that is not valid is never sent) {
  auto client = connected("", h2::get(1));
  const field bad{"x", "a\r\nb"};
  h2_response_head head;
  head.fields = {&bad, 1};
  CAF_CHECK(!client.session.respond(1, head, h2_content::none));
  respond(client, 1, "ok");
  CAF_CHECK_EQUAL(client.summary(), "1:200");
}

CAF_TEST(the owner hears when there is space again) {
  auto client = connected("", h2::get(1));
  CAF_REQUIRE(begin(client, 1));
  client.session.write(1, std::string(100'000, 'a'));
  client.pump();
  CAF_CHECK_EQUAL(client.session.buffered(1), 100'000u - 65'535u);
  CAF_CHECK_EQUAL(client.log.find("writable"), std::string::npos);
  client.send(h2::window(0, 100'000) + h2::window(1, 10'000));
  CAF_CHECK(client.log.ends_with("writable 1; "));
}

CAF_TEST(output is handed out in pieces and input waits for a client that does not read) {
  auto client = connected(h2::setting(4, 1 << 24), h2::window(0, 1 << 24) + h2::get(1));
  CAF_REQUIRE(begin(client, 1));
  client.session.write(1, std::string(1'000'000, 'a'));
  const auto first = client.session.pending_output(client.now).size();
  CAF_CHECK_LESS(first, 128u * 1024);
  CAF_CHECK(client.session.wants_input());
  client.session.sent(1);
  for (auto i = 0; i < 380; ++i) // answers pile up as well
    client.session.receive(h2::frame(h2::ping, h2::none, 0, "12345678"), client.now);
  CAF_CHECK_LESS(client.session.pending_output(client.now).size(), 160u * 1024);
  client.session.finish(1);
  client.pump();
  CAF_CHECK_EQUAL(client.wire.size() > 1'000'000, true);
}

CAF_TEST(a shutdown takes two steps and lets streams finish) {
  auto client = connected("", h2::get(1));
  client.session.shut_down(client.now);
  client.pump();
  auto frames = client.frames();
  CAF_REQUIRE_EQUAL(frames.size(), 2u);
  CAF_CHECK(frames[0].payload == h2::be32(0x7fffffff) + h2::be32(0));
  CAF_CHECK_EQUAL(static_cast<int>(frames[1].type), static_cast<int>(h2::ping));
  client.send(h2::get(3)); // sent before the client saw it
  client.send(h2::frame(h2::ping, h2::ack, 0, frames[1].payload));
  frames = client.frames();
  CAF_REQUIRE_EQUAL(frames.size(), 1u);
  CAF_CHECK(frames[0].payload == h2::be32(3) + h2::be32(0));
  client.send(h2::get(5)); // too late
  respond(client, 1, "ok");
  CAF_CHECK_EQUAL(client.summary(), "1:200");
  respond(client, 3, "ok");
  CAF_CHECK_EQUAL(client.summary(), "3:200 closing");
  CAF_CHECK(client.session.why() == fault::none);
  CAF_CHECK_EQUAL(client.log.find("request 5"), std::string::npos);
}

CAF_TEST(without an answer the second step comes after a second) {
  auto client = connected("", h2::get(1));
  client.session.shut_down(client.now);
  client.pump();
  client.frames();
  client.advance(999ms);
  CAF_CHECK_EQUAL(client.summary(), "");
  client.advance(1ms);
  CAF_CHECK_EQUAL(client.summary(), "goaway(NO_ERROR)");
  CAF_CHECK(!client.session.deadline());
}

CAF_TEST(an idle connection is over after both steps) {
  auto client = connected("", "");
  client.session.shut_down(client.now);
  client.pump();
  client.advance(1s);
  CAF_CHECK_EQUAL(client.summary(), "goaway(NO_ERROR) goaway(NO_ERROR) closing");
}

CAF_TEST(a hard end says why and takes nothing more) {
  auto client = connected("", h2::get(1));
  client.session.go_away(h2_code::internal_error, client.now);
  client.pump();
  CAF_CHECK_EQUAL(client.summary(), "goaway(INTERNAL_ERROR) closing");
  client.send(h2::get(3));
  CAF_CHECK_EQUAL(client.summary(), "closing");
}

CAF_TEST(calls for streams that are gone do nothing) {
  auto client = connected("", h2::get(1) + h2::rst(1));
  CAF_CHECK(!begin(client, 1));
  CAF_CHECK(!begin(client, 77));
  client.session.write(77, "a");
  client.session.finish(77);
  client.session.consumed(77, 5);
  client.session.reset(77, h2_code::cancel);
  client.session.release(77);
  client.session.release(1);
  client.session.release(1);
  client.pump();
  CAF_CHECK_EQUAL(client.summary(), "");
  CAF_CHECK_EQUAL(client.session.open_streams(), 0u);
}

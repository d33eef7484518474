#define CAF_SUITE h2_session
#include "actors/http/h2_session.hpp"

#include <algorithm>
#include <sstream>

#include <caf/test/unit_test.hpp>

#include "support/h2_client.hpp"
#include "support/h2_scripts.hpp"

using namespace std::chrono_literals;

// Scripts of frames: what comes back must not depend on how the bytes were sliced, and a connection
// that lives on must serve a clean request.

namespace {

std::string sorted(const std::string& words) {
  std::istringstream in{words};
  const std::vector<std::string> found{std::istream_iterator<std::string>{in}, {}};
  auto list = found;
  std::sort(list.begin(), list.end());
  std::string result;
  for (const auto& each : list)
    result += (result.empty() ? "" : " ") + each;
  return result;
}

void play(const h2_script& script) {
  for (const auto slice : {size_t{1} << 20, size_t{1}, size_t{7}}) {
    h2_client client;
    client.send(h2::hello() + script.bytes, slice);
    const auto found = sorted(client.summary());
    if (found != script.expected)
      CAF_ERROR(script.name << " in slices of " << slice << ": expected " << script.expected
                            << ", found " << found);
    if (client.session.closing())
      continue;
    client.send(h2::get(1001), slice);
    if (const auto probe = client.summary(); probe != "1001:200")
      CAF_ERROR(script.name << ": the next request got " << probe);
    if (client.session.open_streams() > 1) // a POST may wait for its content
      CAF_ERROR(script.name << ": " << client.session.open_streams() << " streams kept a place");
  }
}

} // namespace

CAF_TEST(every request script ends as the RFC says and the connection lives) {
  const auto scripts = h2_request_scripts();
  for (const auto& each : scripts)
    play(each);
  CAF_MESSAGE(scripts.size() << " scripts");
  CAF_CHECK_GREATER_OR_EQUAL(scripts.size(), 60u);
}

CAF_TEST(every frame script is harmless or ends the connection with its code) {
  const auto scripts = h2_frame_scripts();
  for (const auto& each : scripts)
    play(each);
  CAF_MESSAGE(scripts.size() << " scripts");
  CAF_CHECK_GREATER_OR_EQUAL(scripts.size(), 40u);
}

CAF_TEST(what is no HTTP2 gets a GOAWAY) {
  for (const auto bytes :
       {"GET / HTTP/1.1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\rx", "\x16\x03\x01"}) {
    h2_client client;
    client.send(bytes);
    CAF_CHECK_EQUAL(client.summary(), "goaway(PROTOCOL_ERROR) closing");
    CAF_CHECK(client.session.why() == caf_app::http::fault::h2_protocol);
  }
}

CAF_TEST(the first frame has to be SETTINGS) {
  h2_client client;
  client.send(h2::magic + h2::get(1));
  CAF_CHECK_EQUAL(client.summary(), "goaway(PROTOCOL_ERROR) closing");
}

CAF_TEST(the server advertises its limits before anything else) {
  h2_client client;
  client.pump();
  const auto frames = client.frames();
  CAF_REQUIRE_EQUAL(frames.size(), 2u);
  CAF_CHECK_EQUAL(static_cast<int>(frames[0].type), static_cast<int>(h2::settings));
  CAF_CHECK(frames[0].payload == h2::setting(3, 100) + h2::setting(4, 65536) +
                                     h2::setting(6, 32768) + h2::setting(9, 1));
  CAF_CHECK_EQUAL(static_cast<int>(frames[1].type), static_cast<int>(h2::window_update));
  CAF_CHECK_EQUAL(h2::number(frames[1].payload), 1024u * 1024 - 65535);
}

CAF_TEST(events tell a request from its head to the last byte of its response) {
  h2_client client;
  client.send(
      h2::hello() + h2::post(1) + h2::body(1, "abc", h2::none) +
      h2::section(1, {{"x-sum", "1"}, {"host", "a"}, {"content-type", "b"}}, h2::end_stream));
  CAF_CHECK_EQUAL(client.log, "request 1 POST /; data 1 abc; trailers 1 x-sum=1; end 1; done 1; ");
}

CAF_TEST(a reset by the client ends the request) {
  h2_client client;
  client.send(h2::hello() + h2::post(1) + h2::body(1, "a", h2::none) + h2::rst(1, 8));
  CAF_CHECK_EQUAL(client.log, "request 1 POST /; data 1 a; reset 1 CANCEL; ");
  CAF_CHECK_EQUAL(client.session.open_streams(), 0u);
}

CAF_TEST(late frames for a stream that ended are ignored or end the connection) {
  h2_client client{h2_owner::silent};
  client.send(h2::hello() + h2::get(1) + h2::body(1, "a"));
  CAF_CHECK_EQUAL(client.summary(), "goaway(STREAM_CLOSED) closing");
  h2_client other;
  other.send(h2::hello() + h2::get(1));
  other.send(h2::body(1, "a") + h2::rst(1) + h2::window(1, 5));
  CAF_CHECK_EQUAL(other.summary(), "1:200");
}

CAF_TEST(the acknowledgement of SETTINGS has a deadline) {
  h2_client client;
  client.send(h2::magic + h2::frame(h2::settings, h2::none, 0) + h2::get(1));
  CAF_CHECK_EQUAL(client.summary(), "1:200");
  client.advance(4999ms);
  CAF_CHECK_EQUAL(client.summary(), "");
  client.advance(1ms);
  CAF_CHECK_EQUAL(client.summary(), "goaway(SETTINGS_TIMEOUT) closing");
  CAF_CHECK(client.session.why() == caf_app::http::fault::h2_settings);
}

CAF_TEST(an acknowledged connection has no deadline) {
  h2_client client;
  client.send(h2::hello());
  CAF_CHECK(!client.session.deadline());
}

#define CAF_SUITE h2_core
#include "actors/http/h2_core.hpp"

#include <caf/test/unit_test.hpp>

#include "support/h2_client.hpp"
#include "support/h2_scripts.hpp"

using namespace caf_app::http;
using namespace std::chrono_literals;

// Floods. Each is sent whole and in small slices; a connection has to survive what a budget allows
// and end with ENHANCE_YOUR_CALM one event later.

namespace {

struct flood {
  const char* name;
  std::string setup;
  std::string unit; ///< one event
  size_t allowed;   ///< how many the budget pays for
  h2_abuse kind;
};

std::vector<flood> floods() {
  using namespace h2;
  return {
      {"PING", "", frame(ping, none, 0, "12345678"), 399, h2_abuse::control},
      {"PING answers", "", frame(ping, ack, 0, "12345678"), 399, h2_abuse::control},
      {"SETTINGS", "", frame(settings, none, 0), 399, h2_abuse::control},
      {"PRIORITY", "", frame(priority, none, 7, be32(0) + '\1'), 399, h2_abuse::control},
      {"unknown frames", "", frame(0x77, none, 0, "x"), 399, h2_abuse::control},
      {"empty DATA", post(1), body(1, "", none), 399, h2_abuse::control},
      {"DATA of padding", post(1), frame(data, padded, 1, std::string("\1\0", 2)), 399,
       h2_abuse::control},
      {"WINDOW_UPDATE", "", window(0, 1), 256, h2_abuse::window_updates},
  };
}

// The greeting has a SETTINGS frame and an answer; one of them was paid before allowed counts.
std::string greeting(const flood& each) {
  return each.kind == h2_abuse::control ? h2::magic + h2::frame(h2::settings, h2::none, 0)
                                        : h2::hello();
}

std::string first_goaway(const std::string& summary) {
  const auto at = summary.find("goaway(");
  return at == std::string::npos ? "" : summary.substr(at, summary.find(')', at) - at + 1);
}

bool is_over(h2_client& client) {
  return client.session.closing() && client.session.why() == fault::h2_abuse &&
         client.session.goaway_code() == h2_code::enhance_your_calm;
}

} // namespace

CAF_TEST(each flood is survived up to its budget and ended one event later) {
  for (const auto& each : floods())
    for (const auto slice : {size_t{1} << 20, size_t{3}}) {
      CAF_MESSAGE(each.name);
      h2_client client{h2_owner::silent};
      client.send(greeting(each) + each.setup + h2::repeated(each.allowed, each.unit), slice);
      CAF_CHECK(!client.session.closing());
      CAF_CHECK_EQUAL(first_goaway(client.summary()), "goaway(NO_ERROR)"); // strained
      client.send(each.unit, slice);
      CAF_CHECK(is_over(client));
      CAF_CHECK_EQUAL(first_goaway(client.summary()), "goaway(ENHANCE_YOUR_CALM)");
      CAF_CHECK(client.session.spent()[static_cast<size_t>(each.kind)] > each.allowed);
    }
}

CAF_TEST(below three quarters nobody is warned) {
  h2_client client{h2_owner::silent};
  client.send(h2::hello() + h2::repeated(297, h2::frame(h2::ping, h2::ack, 0, "12345678")));
  CAF_CHECK_EQUAL(client.summary(), "");
  client.send(h2::frame(h2::ping, h2::ack, 0, "12345678"));
  CAF_CHECK_EQUAL(client.summary(), "goaway(NO_ERROR)");
}

CAF_TEST(slow floods are paid by time) {
  h2_client client;
  client.send(h2::hello());
  for (auto i = 0; i < 2000; ++i) {
    client.send(h2::frame(h2::ping, h2::none, 0, "12345678"));
    client.advance(20ms);
  }
  CAF_CHECK(!client.session.closing());
}

CAF_TEST(five thousand requests with a reset each end in flat memory) {
  for (const auto slice : {size_t{1} << 20, size_t{61}}) {
    h2_client client;
    std::string bytes = h2::hello();
    for (uint32_t id = 1; id < 10'000; id += 2)
      bytes += h2::get(id) + h2::rst(id);
    client.send(bytes, slice);
    CAF_CHECK(is_over(client));
    CAF_CHECK_LESS(client.wire.size(), 64u * 1024);
    CAF_CHECK_LESS_OR_EQUAL(client.session.open_streams(), 1u); // the one that was cut
    const auto& spent = client.session.spent();
    CAF_CHECK_LESS_OR_EQUAL(spent[static_cast<size_t>(h2_abuse::resets_received)], 401u);
  }
}

CAF_TEST(resets that a client provokes are counted) {
  for (const auto slice : {size_t{1} << 20, size_t{61}}) {
    h2_client client;
    std::string bytes = h2::hello();
    for (uint32_t id = 1; id < 10'000; id += 2)
      bytes += h2::post(id) + h2::window(id, 0x7fffffff); // overflows
    client.send(bytes, slice);
    CAF_CHECK(is_over(client));
    CAF_CHECK_LESS(client.session.spent()[static_cast<size_t>(h2_abuse::window_updates)], 300u);
    CAF_CHECK_LESS_OR_EQUAL(client.session.open_streams(), 100u);
  }
}

CAF_TEST(resets of our own by and by are counted too) {
  h2_client client{h2_owner::silent};
  client.send(h2::hello());
  uint32_t id = 1;
  for (auto i = 0; i < 100; ++i, id += 2) {
    client.send(h2::get(id));
    client.session.reset(static_cast<int32_t>(id), h2_code::internal_error);
    client.session.release(static_cast<int32_t>(id));
    client.pump();
  }
  CAF_CHECK(!client.session.closing());
  client.send(h2::get(id));
  client.session.release(static_cast<int32_t>(id)); // nothing was answered
  client.pump();
  CAF_CHECK(is_over(client));
}

CAF_TEST(fifty malformed requests are reset and one more ends the connection) {
  h2_client client;
  client.send(h2::hello());
  uint32_t id = 1;
  for (auto i = 0; i < 50; ++i, id += 2)
    client.send(h2::section(id, h2::request("GET", "no-slash"), h2::end_stream));
  CAF_CHECK(!client.session.closing());
  client.send(h2::section(id, h2::request("GET", "no-slash"), h2::end_stream));
  CAF_CHECK(is_over(client));
}

CAF_TEST(streams over the limit are refused and the others live) {
  h2_client client{h2_owner::silent};
  client.send(h2::hello());
  client.summary();
  for (uint32_t id = 1; id <= 199; id += 2)
    client.send(h2::post(id));
  CAF_CHECK_EQUAL(client.summary(), "");
  CAF_CHECK_EQUAL(client.session.open_streams(), 100u);
  client.send(h2::get(201) + h2::get(203));
  CAF_CHECK_EQUAL(client.summary(), "201:rst(REFUSED_STREAM) 203:rst(REFUSED_STREAM)");
  CAF_CHECK_EQUAL(client.session.spent()[static_cast<size_t>(h2_abuse::resets_sent)], 0u);
  client.session.release(1);
  client.pump();
  client.summary();
  client.send(h2::get(205));
  CAF_CHECK_EQUAL(client.summary(), "");
}

CAF_TEST(a cancelled stream fills its place until its work is over) {
  h2_options options;
  options.streams = 2;
  h2_client client{h2_owner::silent, options};
  client.send(h2::hello() + h2::get(1) + h2::rst(1) + h2::get(3) + h2::rst(3));
  CAF_CHECK_EQUAL(client.session.open_streams(), 2u);
  client.send(h2::get(5));
  CAF_CHECK_EQUAL(client.summary(), "5:rst(REFUSED_STREAM)");
  client.session.release(3);
  client.send(h2::get(7));
  CAF_CHECK_EQUAL(client.summary(), "");
  CAF_CHECK_EQUAL(client.session.open_streams(), 2u);
}

CAF_TEST(two hundred refused streams are allowed at once) {
  h2_options options;
  options.streams = 1;
  h2_client client{h2_owner::silent, options};
  std::string bytes = h2::hello() + h2::get(1);
  for (uint32_t id = 3; id < 403; id += 2)
    bytes += h2::get(id);
  client.send(bytes);
  CAF_CHECK(!client.session.closing());
  client.send(h2::get(403));
  CAF_CHECK(is_over(client));
}

CAF_TEST(content after a whole response is read away for two seconds) {
  h2_client client{h2_owner::early};
  client.send(h2::hello() + h2::post(1));
  CAF_CHECK_EQUAL(client.summary(), "1:200");
  client.send(h2::body(1, "abc", h2::none));
  client.advance(1999ms);
  CAF_CHECK_EQUAL(client.summary(), "");
  client.advance(1ms);
  CAF_CHECK_EQUAL(client.summary(), "1:rst(NO_ERROR)");
  CAF_CHECK_EQUAL(client.session.open_streams(), 0u);
}

CAF_TEST(a client that ends its request in time sees no reset) {
  h2_client client{h2_owner::early};
  client.send(h2::hello() + h2::post(1) + h2::body(1, "abc", h2::none) + h2::body(1, "d"));
  client.advance(2s);
  CAF_CHECK_EQUAL(client.summary(), "1:200");
  CAF_CHECK_EQUAL(client.session.open_streams(), 0u);
}

CAF_TEST(a long rest is not waited for) {
  h2_client client{h2_owner::early};
  client.send(h2::hello() + h2::post(1, {{"content-length", "20971520"}}));
  CAF_CHECK_EQUAL(client.summary(), "1:200 1:rst(NO_ERROR)");
}

CAF_TEST(a rest of unknown length is read up to its limit) {
  h2_client client{h2_owner::early};
  client.send(h2::hello() + h2::post(1));
  const auto part = h2::body(1, std::string(16384, 'a'), h2::none);
  for (auto i = 0; i < 16; ++i)
    client.send(part);
  CAF_CHECK_EQUAL(client.summary(), "1:200");
  client.send(part);
  CAF_CHECK_EQUAL(client.summary(), "1:rst(NO_ERROR)");
}

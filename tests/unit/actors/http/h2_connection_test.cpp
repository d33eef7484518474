#define CAF_SUITE h2_connection
#include "actors/http/h2_connection.hpp"

#include <regex>

#include <caf/test/unit_test.hpp>

#include "support/http/h2_connection_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

CAF_TEST_FIXTURE_SCOPE(h2_connection_tests, h2_world)

  CAF_TEST(a request is answered on its stream) {
    get(1, "/now?x");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[/now?x]");
    CAF_CHECK(connection->idle());
    CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/now\",code_class=\"2xx\"}"),
                    1);
  }

  CAF_TEST(answers do not depend on slices) {
    for (size_t slice = 1; slice < 40; ++slice) {
      open();
      send(h2::hello() + h2::section(1, head("GET", "/fixed"), h2::end_stream) +
               h2::section(3, head("POST", "/echo"), h2::none) + h2::body(3, "abc", h2::none) +
               h2::body(3, "def"),
           slice);
      CAF_CHECK_EQUAL(summary(), "1:200 1:[fixed] 3:200 3:[abcdef]");
    }
  }

  CAF_TEST(streams are answered in the order of their handlers) {
    get(1, "/later?a");
    get(3, "/later?b");
    get(5, "/now");
    CAF_CHECK_EQUAL(summary(), "5:200 5:[/now?]");
    answer_later("b");
    CAF_CHECK_EQUAL(summary(), "3:200 3:[late]");
    answer_later("a");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[late]");
    CAF_CHECK(connection->idle());
  }

  CAF_TEST(a client that resets a stream cancels its task) {
    get(1, "/later?a");
    get(3, "/later?b");
    CAF_CHECK_EQUAL(handlers->living, 2u);
    send(h2::rst(1));
    CAF_CHECK_EQUAL(handlers->living, 1u);
    CAF_CHECK_EQUAL(handlers->cancelled, 1u);
    CAF_CHECK_EQUAL(metric("caf_http_requests_total{site=\"a\",route=\"/later\",code_class=\"0\"}"),
                    1);
    answer_later("b");
    CAF_CHECK_EQUAL(summary(), "3:200 3:[late]");
  }

  CAF_TEST(a lost connection cancels all tasks) {
    get(1, "/later?a");
    get(3, "/later?b");
    connection->on_lost(close_reason::failed);
    connection->release();
    CAF_CHECK_EQUAL(handlers->living, 0u);
    CAF_CHECK_EQUAL(handlers->cancelled, 2u);
  }

  CAF_TEST(an end of input is the end of the connection) {
    get(1, "/later?a");
    connection->on_end();
    CAF_CHECK_EQUAL(how_it_ended(), "client");
    connection->release();
    CAF_CHECK_EQUAL(handlers->cancelled, 1u);
  }

  CAF_TEST(a full socket is given no more than a buffer) {
    send(h2::window(0, 1 << 20));
    far.room = 0;
    for (uint32_t stream = 1; stream < 200; stream += 2)
      send(h2::section(stream, head("GET", "/big?4000"), h2::end_stream));
    CAF_CHECK(far.waiting < 3 * caf_app::limits::http::direction_buffer_bytes);
    drained();
    size_t content = 0;
    for (const auto& each : frames())
      content += each.type == h2::data ? each.payload.size() : 0;
    CAF_CHECK_EQUAL(content, 100u * 4000u);
  }

  CAF_TEST(content over the limit of its route is 413 and the connection goes on) {
    auto config = scripted_config();
    for (auto& route : config.site[0].route)
      route.max_body = 10;
    context.table = make_table(config);
    post(1, "/echo", {{"content-length", "11"}});
    CAF_CHECK_EQUAL(rejected("body_size"), 1u);
    post(3, "/echo");
    send(h2::body(3, "0123456789", h2::none));
    CAF_CHECK_EQUAL(rejected("body_size"), 1u);
    send(h2::body(3, "x", h2::none));
    CAF_CHECK_EQUAL(rejected("body_size"), 2u);
    frames();
    get(5, "/now");
    CAF_CHECK_EQUAL(summary(), "5:200 5:[/now?]");
  }

  CAF_TEST(an answer that comes before its content ends the stream) {
    post(1, "/early");
    send(h2::body(1, "abc", h2::none));
    CAF_CHECK_EQUAL(summary(), "1:200 1:[early]");
    pass(context.table->limits().linger + 1ms);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "1:rst(NO_ERROR)");
  }

  CAF_TEST(a task that throws leaves the connection to its owner) {
    auto thrown = false;
    try {
      get(1, "/throw");
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    CAF_CHECK(thrown);
  }

  CAF_TEST(an idle connection gets both goaways) {
    get(1, "/now");
    frames();
    pass(limits().keepalive_idle - 1ms);
    CAF_CHECK(!due());
    pass(1ms);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    CAF_CHECK(!far.finished);
    pass(1s);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    CAF_CHECK(far.finished);
    pass(limits().linger);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(how_it_ended(), "answered");
    CAF_CHECK_EQUAL(metric("caf_http_nudges_total{cause=\"idle\"}"), 1);
  }

  CAF_TEST(an open stream is not idle) {
    get(1, "/later?a");
    for (auto i = 0; i < 5; ++i) {
      pass(limits().keepalive_idle);
      due();
    }
    CAF_CHECK_EQUAL(summary(), "");
    answer_later("a");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[late]");
  }

  CAF_TEST(an old connection is nudged and finishes its streams) {
    get(1, "/later?a");
    pass(limits().connection_max_age * 11 / 10);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    pass(1s);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    CAF_CHECK(!far.finished);
    answer_later("a");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[late]");
    CAF_CHECK(far.finished);
  }

  CAF_TEST(the other scheme is for trusted peers only) {
    const auto ask = [&](uint32_t stream, const char* scheme) {
      send(h2::section(
          stream, {{":method", "GET"}, {":scheme", scheme}, {":path", "/now"}, {":authority", "a"}},
          h2::end_stream));
      return summary();
    };
    CAF_CHECK(ask(1, "https").find("421 ") != std::string::npos);
    auto config = scripted_config();
    config.trusted_proxies = {*parse_address_block("192.0.2.0/24")};
    context.table = make_table(config);
    CAF_CHECK(ask(3, "https").starts_with("3:200"));
    CAF_CHECK(ask(5, "ftp").find("421 ") != std::string::npos);
  }

  CAF_TEST(unknown hosts get what the configuration says) {
    const auto ask = [this](uint32_t stream) {
      send(h2::section(
          stream, {{":method", "GET"}, {":scheme", "http"}, {":path", "/now"}, {":authority", "b"}},
          h2::end_stream));
      return summary();
    };
    CAF_CHECK(ask(1).find("421 ") != std::string::npos);
    auto config = scripted_config();
    config.unknown_host = unknown_host::not_found;
    context.table = make_table(config);
    CAF_CHECK_EQUAL(ask(3).substr(0, 5), "3:404");
    config.unknown_host = unknown_host::close;
    context.table = make_table(config);
    const auto before = rejected("misdirected");
    CAF_CHECK_EQUAL(ask(5), "5:rst(REFUSED_STREAM)");
    CAF_CHECK_EQUAL(rejected("misdirected"), before + 1);
    get(7, "/now");
    CAF_CHECK_EQUAL(summary().substr(0, 5), "7:200");
  }

  CAF_TEST(lines of the access log name the client and the request) {
    auto log = std::make_shared<recording_log>();
    context.access_log = log;
    const h2::lines forwarded{{"x-forwarded-for", "1.2.3.4"}, {"x-request-id", "r-1"}};
    send(h2::section(1, head("GET", "/now", forwarded), h2::end_stream));
    auto config = scripted_config();
    config.trusted_proxies = {*parse_address_block("192.0.2.0/24")};
    context.table = make_table(config);
    send(h2::section(3, head("GET", "/now", forwarded), h2::end_stream));
    CAF_REQUIRE_EQUAL(log->lines.size(), 2u);
    CAF_CHECK(log->lines[0].starts_with("192.0.2.1:4711 - - ["));
    CAF_CHECK(std::regex_search(log->lines[0], std::regex{" [0-9a-f]{32} -\n$"}));
    CAF_CHECK(log->lines[1].starts_with("1.2.3.4 - - ["));
    CAF_CHECK(log->lines[1].find(" r-1 ") != std::string::npos);
  }

  CAF_TEST(a drain is two goaways) {
    get(1, "/later?a");
    listener.draining = true;
    connection->drain(nudge_cause::drain);
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    get(3, "/now"); // the client did not know
    CAF_CHECK_EQUAL(summary(), "3:200 3:[/now?]");
    send(h2::frame(h2::ping, h2::ack, 0, "shutdown"));
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    answer_later("a");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[late]");
    CAF_CHECK(far.finished);
    connection->on_end();
    CAF_CHECK_EQUAL(how_it_ended(), "drained");
  }

  CAF_TEST(the number of requests is bounded) {
    auto config = scripted_config();
    config.limits.keepalive_requests = 3;
    context.table = make_table(config);
    get(1, "/now");
    get(3, "/now");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[/now?] 3:200 3:[/now?]");
    get(5, "/now");
    send(h2::frame(h2::ping, h2::none, 0, "12345678"));
    CAF_CHECK_EQUAL(summary(), "5:200 5:[/now?] goaway(NO_ERROR)");
  }

  CAF_TEST(a section that never ends is given up) {
    send(h2::frame(h2::headers, h2::end_stream, 1, h2::hpack(head("GET", "/now"))));
    pass(limits().header_timeout - 1ms);
    CAF_CHECK(!due());
    pass(1ms);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(NO_ERROR)");
    CAF_CHECK_EQUAL(rejected("slow_request"), 1u);
    CAF_CHECK(far.finished);
  }

  CAF_TEST(settings that are not acknowledged end the connection) {
    open();
    send(h2::magic + h2::frame(h2::settings, h2::none, 0));
    pass(limits().h2_settings_timeout);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(summary(), "goaway(SETTINGS_TIMEOUT)");
    CAF_CHECK_EQUAL(rejected("h2_settings"), 1u);
  }

  CAF_TEST(content that stalls is 408) {
    post(1, "/echo");
    send(h2::body(1, "abc", h2::none));
    pass(caf_app::limits::http::body_rate_grace - 1ms); // three bytes are worth no more
    due();
    CAF_CHECK_EQUAL(rejected("slow_request"), 0u);
    pass(1ms);
    due();
    CAF_CHECK_EQUAL(rejected("slow_request"), 1u);
    CAF_CHECK(!far.over);
  }

  CAF_TEST(a stream whose client opens no window is cancelled) {
    open();
    send(h2::hello(h2::setting(4, 5)));
    get(1, "/big?100");
    get(3, "/later?b");
    CAF_CHECK_EQUAL(summary(), "1:200 1:[#####]");
    pass(limits().send_timeout);
    due();
    CAF_CHECK_EQUAL(summary(), "1:rst(CANCEL)");
    CAF_CHECK_EQUAL(rejected("slow_reader"), 1u);
    CAF_CHECK(!far.over);
  }

  CAF_TEST(a client whose kernel takes nothing is cut) {
    far.room = 0;
    get(1, "/big?100");
    pass(limits().send_timeout);
    CAF_CHECK(due());
    CAF_CHECK_EQUAL(how_it_ended(), "timeout");
    CAF_CHECK_EQUAL(rejected("slow_reader"), 1u);
  }

  CAF_TEST(a flood is counted by its kind) {
    for (auto i = 0; i < 500; ++i)
      send(h2::frame(h2::ping, h2::none, 0, "12345678"));
    CAF_CHECK(far.finished);
    CAF_CHECK_EQUAL(rejected("h2_abuse"), 1u);
    CAF_CHECK_EQUAL(metric("caf_http_h2_abuse_total{kind=\"control\"}"), 1);
    CAF_CHECK_EQUAL(metric("caf_http_h2_goaways_total{code=\"ENHANCE_YOUR_CALM\"}"), 1);
  }

  CAF_TEST(malformed requests are counted) {
    send(h2::section(1, {{":method", "GET"}}, h2::end_stream));
    CAF_CHECK_EQUAL(summary(), "1:rst(PROTOCOL_ERROR)");
    CAF_CHECK_EQUAL(rejected("h2_malformed"), 1u);
  }

  CAF_TEST(an access log has a line per stream) {
    const auto log = std::make_shared<recording_log>();
    context.access_log = log;
    get(1, "/now");
    get(3, "/later?x");
    send(h2::rst(3));
    CAF_REQUIRE_EQUAL(log->lines.size(), 2u);
    CAF_CHECK(log->lines[0].find("\"GET /now HTTP/2\" 200") != std::string::npos);
    CAF_CHECK(log->lines[1].find("client") != std::string::npos);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE proxy_head
#include "actors/http/proxy_head.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

struct fixture {
  fixture() {
    view.method = method::get;
    view.method_text = "GET";
    view.target = "/api/a%20b?x=1";
    view.path = "/api/a%20b";
    view.below = "/a%20b";
    view.query = "x=1";
    view.host = "example.org";
    view.port = 8080;
    view.fields = &fields;
    facts.peer = "192.0.2.1";
    facts.request_id = "id";
    add("Host", "example.org:8080");
  }

  void add(const char* name, const char* value) {
    fields.push_back({name, value, find_known_field(name)});
  }

  std::string head() const { return proxy_request_head{view, options, facts}.text("up:80"); }

  /// The values of a field, in brackets.
  std::string values(const std::string& name) const {
    std::string result;
    const auto text = head();
    for (size_t at = 0; (at = text.find("\r\n" + name + ": ", at)) != text.npos; ++at) {
      const auto begin = at + name.size() + 4;
      result += "[" + text.substr(begin, text.find("\r\n", begin) - begin) + "]";
    }
    return result;
  }

  request_view view;
  field_list fields;
  proxy_options options;
  proxy_facts facts;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(proxy_head_tests, fixture)

  CAF_TEST(a plain request) {
    add("Accept", "*/*");
    CAF_CHECK_EQUAL(head(), "GET /api/a%20b?x=1 HTTP/1.1\r\nHost: up:80\r\nAccept: */*\r\n"
                            "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\n"
                            "X-Forwarded-Host: example.org:8080\r\n"
                            "Forwarded: for=192.0.2.1;host=\"example.org:8080\";proto=http\r\n"
                            "X-Request-Id: id\r\nVia: 1.1 caf_app\r\n\r\n");
  }

  CAF_TEST(targets and hosts follow the rules) {
    options.strip_prefix = true;
    CAF_CHECK(head().starts_with("GET /a%20b?x=1 HTTP/1.1\r\n"));
    view.below = "";
    view.target = "/api?";
    view.query = "";
    CAF_CHECK(head().starts_with("GET /? HTTP/1.1\r\n"));
    options.preserve_host = true;
    CAF_CHECK_EQUAL(values("Host"), "[example.org:8080]");
  }

  CAF_TEST(what belongs to one connection ends here) {
    for (const auto* name : {"Keep-Alive", "Proxy-Connection", "Upgrade", "X-Named", "Expect"})
      add(name, "x");
    add("Connection", "close, x-named");
    add("TE", "gzip, trailers");
    add("X-Kept", "1");
    for (const auto* name :
         {"Connection", "Keep-Alive", "Proxy-Connection", "Upgrade", "X-Named", "Expect"})
      CAF_CHECK_EQUAL(values(name), "");
    CAF_CHECK_EQUAL(values("TE"), "[trailers]");
    CAF_CHECK_EQUAL(values("X-Kept"), "[1]");
  }

  CAF_TEST(Connection may not name what others rely on) {
    for (const auto* name : {"Host", "authorization", "Content-Length", "content-type", "Forwarded",
                             "X-Forwarded-For"}) {
      field_list one;
      const auto value = std::string{"keep-alive, "} + name;
      one.push_back({"Connection", value, known_field::connection});
      CAF_CHECK(has_forbidden_connection(one));
    }
    add("Connection", "close, X-Other");
    CAF_CHECK(!has_forbidden_connection(fields));
  }

  CAF_TEST(a stranger cannot say who asked) {
    add("X-Forwarded-For", "6.6.6.6");
    add("X-Forwarded-Proto", "https");
    add("X-Forwarded-Host", "evil");
    add("Forwarded", "for=6.6.6.6");
    add("X-Request-Id", "evil");
    CAF_CHECK_EQUAL(values("X-Forwarded-For"), "[192.0.2.1]");
    CAF_CHECK_EQUAL(values("X-Forwarded-Proto"), "[http]");
    CAF_CHECK_EQUAL(values("X-Forwarded-Host"), "[example.org:8080]");
    CAF_CHECK_EQUAL(values("Forwarded"), "[for=192.0.2.1;host=\"example.org:8080\";proto=http]");
    CAF_CHECK_EQUAL(values("X-Request-Id"), "[id]");
  }

  CAF_TEST(a trusted proxy is appended to in one line) {
    facts.trusted = true;
    facts.peer = "2001:db8::1";
    add("X-Forwarded-For", "1.2.3.4");
    add("X-Forwarded-For", "10.0.0.1");
    add("X-Forwarded-Proto", "https");
    add("X-Forwarded-Host", "front");
    add("Forwarded", "for=1.2.3.4");
    add("Via", "1.1 front");
    CAF_CHECK_EQUAL(values("X-Forwarded-For"), "[1.2.3.4, 10.0.0.1, 2001:db8::1]");
    CAF_CHECK_EQUAL(values("X-Forwarded-Proto"), "[https]");
    CAF_CHECK_EQUAL(values("X-Forwarded-Host"), "[front]");
    CAF_CHECK_EQUAL(values("Forwarded"),
                    "[for=1.2.3.4, for=\"[2001:db8::1]\";host=\"example.org:8080\";proto=http]");
    CAF_CHECK_EQUAL(values("Via"), "[1.1 front, 1.1 caf_app]");
  }

  CAF_TEST(content is framed anew) {
    add("Content-Length", "007");
    view.has_body = true;
    view.content_length = 7;
    CAF_CHECK_EQUAL(values("Content-Length"), "[7]");
    view.content_length.reset();
    CAF_CHECK_EQUAL(values("Content-Length"), "");
    CAF_CHECK_EQUAL(values("Transfer-Encoding"), "[chunked]");
    view.has_body = false;
    CAF_CHECK_EQUAL(values("Transfer-Encoding"), "");
  }

  CAF_TEST(underscores pass on demand only) {
    add("X_Y", "1");
    CAF_CHECK_EQUAL(values("X_Y"), "");
    options.underscores = true;
    CAF_CHECK_EQUAL(values("X_Y"), "[1]");
  }

CAF_TEST(Max-Forwards counts down for OPTIONS) {
  add("Max-Forwards", "5");
  CAF_CHECK_EQUAL(values("Max-Forwards"), "[5]");
  view.method = method::options;
  CAF_CHECK_EQUAL(values("Max-Forwards"), "[4]");
}

CAF_TEST(fields of a response end or pass) {
  h1_response_parser parser;
  parser.reset(method::get);
  const std::string_view input =
      "HTTP/1.0 200 OK\r\nDate: x\r\nServer: y\r\nConnection: keep-alive, x-named\r\nKeep-Alive: "
      "5\r\n"
      "X-Named: 1\r\nContent-Length: 0\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nVia: 1.1 behind\r\n"
      "Transfer_X: 1\r\n\r\n";
  CAF_REQUIRE(parser.feed(input).event == response_event::head);
  std::string shown;
  proxy_response_fields fields{parser.response()};
  for (const auto& line : fields.lines())
    shown.append(line.name).append("=").append(line.value).append("|");
  CAF_CHECK_EQUAL(shown, "Date=x|Server=y|Set-Cookie=a|Set-Cookie=b|Transfer_X=1|"
                         "Via=1.1 behind, 1.0 caf_app|");
}

CAF_TEST(the version and the scheme are those of the client) {
  view.version = "2";
  view.scheme = "https";
  CAF_CHECK_EQUAL(values("Via"), "[2 caf_app]");
  CAF_CHECK_EQUAL(values("X-Forwarded-Proto"), "[https]");
}

CAF_TEST(a client that waits for an invitation makes the upstream give it) {
  view.has_body = true;
  view.content_length = 3;
  CAF_CHECK_EQUAL(values("Expect"), "");
  view.awaits_invitation = true;
  CAF_CHECK_EQUAL(values("Expect"), "[100-continue]");
}

CAF_TEST(a protocol is asked for in both fields) {
  add("Connection", "keep-alive, Upgrade");
  add("Upgrade", "websocket");
  CAF_CHECK_EQUAL(values("Upgrade"), "");
  facts.upgrade = "websocket";
  CAF_CHECK_EQUAL(values("Upgrade"), "[websocket]");
  CAF_CHECK_EQUAL(values("Connection"), "[Upgrade]");
}

CAF_TEST(a client without a host has none) {
  view.host = {};
  view.port.reset();
  options.preserve_host = true;
  CAF_CHECK_EQUAL(values("Host"), "[up:80]");
  CAF_CHECK_EQUAL(values("X-Forwarded-Host"), "");
  CAF_CHECK_EQUAL(values("Forwarded"), "[for=192.0.2.1;proto=http]");
}

CAF_TEST_FIXTURE_SCOPE_END()

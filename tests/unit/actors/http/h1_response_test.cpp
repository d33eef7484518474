#define CAF_SUITE h1_response
#include "actors/http/h1_response.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string shown(const h1_response_parser& parser) {
  const auto& head = parser.response();
  const char* framings[]{"none", "length", "chunked", "until_close"};
  auto result = std::to_string(head.status) + " 1." + std::to_string(head.minor_version) + " " +
                framings[static_cast<size_t>(head.framing)] + " " +
                std::to_string(head.content_length) + (head.keep_alive ? " keep" : " close");
  for (const auto& line : head.fields)
    result.append("|").append(line.name).append("=").append(line.value);
  return result;
}

/// The whole exchange in slices of `size`: heads, content in brackets, then what is left over.
std::string read(std::string_view input, size_t size, method request = method::get) {
  h1_response_parser parser;
  parser.reset(request);
  h1_response_body body;
  std::string result;
  auto in_body = false;
  auto ended = false;
  for (size_t at = 0; at < input.size(); at += size) {
    const std::string slice{input.substr(at, size)};
    std::span<const char> bytes{slice};
    while (!bytes.empty() && !ended) {
      if (!in_body) {
        const auto [used, event] = parser.feed(bytes);
        bytes = bytes.subspan(used);
        if (event == response_event::error)
          return result + "error " + std::string{parser.what()};
        if (event == response_event::need_more)
          continue;
        result += shown(parser) + "\n";
        if (parser.response().status < 200) {
          parser.next();
          continue;
        }
        in_body = true;
        body = h1_response_body{parser.response()};
        result += "[";
      }
      for (;;) {
        const auto step = body.feed(bytes);
        bytes = bytes.subspan(step.consumed);
        result.append(step.data.data(), step.data.size());
        if (step.event == h1_body_event::error)
          return result + " bad";
        ended = step.event == h1_body_event::done;
        if (step.event != h1_body_event::data)
          break;
      }
      if (ended)
        result += "]";
    }
    if (ended)
      result.append(bytes.data(), bytes.size());
  }
  if (in_body && !ended && !body.is_done())
    result += "...";
  return result;
}

void check(std::string_view input, std::string_view wanted, method request = method::get) {
  for (size_t size = 1; size <= input.size(); ++size) {
    const auto seen = read(input, size, request);
    CAF_CHECK_EQUAL(seen, wanted);
  }
}

} // namespace

CAF_TEST(a response with a length) {
  check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b \r\n\r\nhellorest",
        "200 1.1 length 5 keep|Content-Length=5|X-A=b\n[hello]rest");
  check("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\nx",
        "200 1.1 length 0 keep|Content-Length=0\n[]x");
  check("HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nab",
        "404 1.1 length 2 keep|Content-Length=2\n[ab]");
}

CAF_TEST(a response in chunks) {
  check("HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n3;x=y\r\nabc\r\n0\r\nx-t: 1\r\n\r\n",
        "200 1.1 chunked 0 keep|Transfer-Encoding=Chunked\n[abc]");
  check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd",
        "200 1.1 chunked 0 keep|Transfer-Encoding=chunked\n[abc bad");
}

CAF_TEST(a response that ends with its connection) {
  check("HTTP/1.1 200 OK\r\n\r\nabc", "200 1.1 until_close 0 close\n[abc...");
  check("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nab",
        "200 1.0 length 1 keep|Connection=keep-alive|Content-Length=1\n[a]b");
  check("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        "200 1.0 length 1 close|Content-Length=1\n[a]");
}

CAF_TEST(responses without content) {
  check("HTTP/1.1 204 X\r\nContent-Length: 5\r\n\r\nrest",
        "204 1.1 none 5 close|Content-Length=5\n[]rest");
  check("HTTP/1.1 304 X\r\nContent-Length: 5\r\n\r\nrest",
        "304 1.1 none 5 keep|Content-Length=5\n[]rest");
  check("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", "200 1.1 none 5 keep|Content-Length=5\n[]",
        method::head);
}

CAF_TEST(interim responses come before the final one) {
  check("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nz",
        "100 1.1 none 0 keep\n103 1.1 none 0 keep|Link=a\n200 1.1 length 1 "
        "keep|Content-Length=1\n[z]");
}

CAF_TEST(what could be read in two ways is refused) {
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  for (const auto& [input, why] : std::vector<std::pair<std::string, std::string>>{
           {"HTTP/2 200 OK\r\n\r\n", "no HTTP/1 at all"},
           {"HTTP/1.1 20 OK\r\n\r\n", "a bad status line"},
           {"HTTP/1.1  200 OK\r\n\r\n", "a bad status line"},
           {"HTTP/1.1 600 X\r\n\r\n", "a bad status"},
           {"HTTP/1.1 099 X\r\n\r\n", "a bad status"},
           {"ICY 200 OK\r\n\r\n", "no HTTP/1 at all"},
           {"\r\n" + ok + "\r\n", "no HTTP/1 at all"},
           {ok + "X: a\nY: b\r\n\r\n", "a line that ends with LF only"},
           {ok + "X: a\rb\r\n\r\n", "a control byte in a head"},
           {ok + "X : a\r\n\r\n", "a bad field"},
           {ok + " folded\r\n\r\n", "a bad field"},
           {ok + ": a\r\n\r\n", "a bad field"},
           {ok + "X\r\n\r\n", "a bad field"},
           {ok + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "a repeated framing field"},
           {ok + "Content-Length: 1, 1\r\n\r\n", "a bad Content-Length"},
           {ok + "Content-Length: -1\r\n\r\n", "a bad Content-Length"},
           {ok + "Content-Length: 9223372036854775808\r\n\r\n", "a bad Content-Length"},
           {ok + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "Transfer-Encoding with Content-Length"},
           {ok + "Transfer-Encoding: gzip, chunked\r\n\r\n",
            "a Transfer-Encoding other than chunked"},
           {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "a Transfer-Encoding other than chunked"}})
    for (size_t size = 1; size <= input.size(); ++size) {
      const auto seen = read(input, size);
      const auto wanted = "error " + why;
      CAF_CHECK_EQUAL(seen, wanted);
    }
}

CAF_TEST(a connection that may still bring content of a 204 is not used again) {
  const auto keeps = [](const std::string& fields) {
    h1_response_parser parser;
    parser.reset(method::get);
    CAF_REQUIRE(parser.feed("HTTP/1.1 " + fields + "\r\n\r\n").event == response_event::head);
    return parser.response().keep_alive;
  };
  CAF_CHECK(keeps("204 No Content"));
  CAF_CHECK(keeps("204 No Content\r\nContent-Length: 0"));
  CAF_CHECK(!keeps("204 No Content\r\nContent-Length: 5"));
  CAF_CHECK(!keeps("204 No Content\r\nTransfer-Encoding: chunked"));
  CAF_CHECK(keeps("304 Not Modified\r\nContent-Length: 5")); // as announced for a 200
}

CAF_TEST(a head has a limit of bytes) {
  const std::string before = "HTTP/1.1 200 OK\r\nX: ";
  for (const size_t size : {99, 100, 101})
    for (const size_t slice : {size_t{1}, size_t{50}, size}) {
      h1_response_parser parser{{100, 10}};
      parser.reset(method::get);
      const auto head = before + std::string(size - before.size() - 4, 'x') + "\r\n\r\n";
      auto event = response_event::need_more;
      for (size_t at = 0; at < size && event == response_event::need_more; at += slice)
        event = parser.feed(std::string_view{head}.substr(at, slice)).event;
      CAF_CHECK_EQUAL(event == response_event::head, size <= 100);
      const std::string_view wanted = size <= 100 ? "" : "a head over its limit";
      CAF_CHECK_EQUAL(parser.what(), wanted);
    }
}

CAF_TEST(a head has a limit of fields) {
  for (const int count : {9, 10, 11}) {
    std::string head = "HTTP/1.1 200 OK\r\n";
    for (int i = 0; i < count; ++i)
      head += "A: b\r\n";
    h1_response_parser parser{{1000, 10}};
    parser.reset(method::get);
    CAF_CHECK_EQUAL(parser.feed(head + "\r\n").event == response_event::head, count <= 10);
  }
}

CAF_TEST(what is no response at all is told by its first bytes) {
  for (const std::string_view input : {"S", "HTTP/2", "\n", "HTTP/1,"}) {
    h1_response_parser parser;
    parser.reset(method::get);
    CAF_CHECK(parser.feed(input).event == response_event::error);
  }
}

CAF_TEST(a parser is used again) {
  h1_response_parser parser;
  for (int i = 0; i < 2; ++i) {
    parser.reset(method::get);
    CAF_CHECK(parser.is_idle());
    const std::string_view input = "HTTP/1.1 200 OK\r\nA: b\r\n\r\n";
    CAF_CHECK(parser.feed(input).event == response_event::head);
    CAF_CHECK_EQUAL(parser.response().fields.size(), 1u);
  }
}

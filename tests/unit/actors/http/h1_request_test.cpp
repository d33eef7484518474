// What the tables of h1_rows_test do not see: where views lie, when they move, what is reused.
#define CAF_SUITE h1_request

#include "actors/http/h1_request.hpp"

#include <caf/test/unit_test.hpp>

#include "support/http/h1_row.hpp"

using namespace caf_app::http;
using namespace std::literals;

namespace {

bool lies_in(std::string_view view, std::string_view bytes) {
  return view.data() >= bytes.data() && view.data() + view.size() <= bytes.data() + bytes.size();
}

const std::string request =
    head("POST /p?q HTTP/1.1", "Host: A:8", "Content-Length: 2", "X-Long: 0123456789abcdef");

void check_request(const h1_request& got) {
  CAF_CHECK(got.method == method::post);
  CAF_CHECK_EQUAL(got.method_text, "POST"sv);
  CAF_CHECK_EQUAL(got.target, "/p?q"sv);
  CAF_CHECK_EQUAL(got.parts.path, "/p"sv);
  CAF_CHECK_EQUAL(got.parts.query, "q"sv);
  CAF_CHECK_EQUAL(got.host, "a"sv);
  CAF_CHECK(got.port == 8);
  CAF_CHECK(got.framing == h1_framing::length);
  CAF_CHECK_EQUAL(got.content_length, 2u);
  CAF_CHECK_EQUAL(got.fields.size(), 3u);
  CAF_CHECK_EQUAL(got.fields.first(known_field::host), "A:8"sv);
  CAF_CHECK_EQUAL(got.fields.find("x-long")->value, "0123456789abcdef"sv);
}

} // namespace

CAF_TEST(a whole head is parsed where it lies) {
  const auto input = request + "hi" + request;
  h1_request_parser parser;
  const auto result = parser.feed(input);
  CAF_CHECK(result.event == h1_event::head);
  CAF_CHECK_EQUAL(result.consumed, request.size());
  check_request(parser.request());
  CAF_CHECK(lies_in(parser.request().target, input));
  for (const auto& line : parser.request().fields)
    CAF_CHECK(lies_in(line.name, input) && lies_in(line.value, input));
}

CAF_TEST(a kept head outlives its bytes) {
  h1_request_parser parser;
  {
    auto input = request;
    CAF_CHECK(parser.feed(input).event == h1_event::head);
    parser.keep();
    input.assign(input.size(), '#');
    check_request(parser.request());
  }
  parser.keep(); // once more changes nothing
  check_request(parser.request());
}

CAF_TEST(a head in slices lies in the parser) {
  for (size_t cut = 1; cut < request.size(); ++cut) {
    h1_request_parser parser;
    auto first = request.substr(0, cut);
    CAF_CHECK(parser.feed(first).event == h1_event::need_more);
    first.assign(first.size(), '#');
    auto second = request.substr(cut) + "hi";
    const auto result = parser.feed(second);
    second.assign(second.size(), '#');
    CAF_CHECK(result.event == h1_event::head);
    CAF_CHECK_EQUAL(result.consumed, request.size() - cut);
    check_request(parser.request());
  }
}

CAF_TEST(a head byte by byte lies in the parser) {
  h1_request_parser parser;
  for (size_t i = 0; i < request.size(); ++i) {
    char byte = request[i];
    const auto result = parser.feed({&byte, 1});
    byte = '#';
    CAF_CHECK_EQUAL(result.consumed, 1u);
    CAF_CHECK((result.event == h1_event::head) == (i + 1 == request.size()));
  }
  check_request(parser.request());
}

CAF_TEST(nothing is left of the request before) {
  h1_request_parser parser;
  CAF_CHECK(parser.feed(request).event == h1_event::head);
  parser.keep();
  parser.reset();
  const auto next = head("GET / HTTP/1.0");
  CAF_CHECK(parser.feed(next).event == h1_event::head);
  const auto& got = parser.request();
  CAF_CHECK(got.method == method::get && got.minor_version == 0 && !got.keep_alive);
  CAF_CHECK(got.framing == h1_framing::none && got.content_length == 0);
  CAF_CHECK(got.host.empty() && !got.port && got.fields.size() == 0 && !got.parts.has_query);
}

CAF_TEST(a parser that gave its memory back works on) {
  h1_request_parser parser;
  CAF_CHECK(parser.feed(request).event == h1_event::head);
  parser.release();
  CAF_CHECK(parser.is_idle());
  CAF_CHECK(parser.feed(request).event == h1_event::head);
  check_request(parser.request());
}

CAF_TEST(a parser is idle until the first byte of a request) {
  h1_request_parser parser;
  CAF_CHECK(parser.is_idle());
  CAF_CHECK(parser.feed({}).event == h1_event::need_more);
  CAF_CHECK(parser.feed("\r\n"sv).event == h1_event::need_more);
  CAF_CHECK(parser.is_idle());
  CAF_CHECK(parser.feed("G"sv).event == h1_event::need_more);
  CAF_CHECK(!parser.is_idle());
}

CAF_TEST(limits hold at max and break at max plus one) {
  const auto last_event = [](h1_limits limits, const std::string& input) {
    h1_request_parser parser{limits};
    const auto event = parser.feed(input).event;
    return event == h1_event::error ? parser.error() : fault::none;
  };
  CAF_CHECK(last_event({request.size(), 100, 100}, request) == fault::none);
  CAF_CHECK(last_event({request.size() - 1, 100, 100}, request) == fault::head_size);
  CAF_CHECK(last_event({1000, 3, 100}, request) == fault::none);
  CAF_CHECK(last_event({1000, 2, 100}, request) == fault::head_size);
  CAF_CHECK(last_event({1000, 100, 4}, request) == fault::none);
  CAF_CHECK(last_event({1000, 100, 3}, request) == fault::target_size);
}

CAF_TEST(a limit is told before the head is whole) {
  h1_request_parser fields{{1000, 1, 100}};
  CAF_CHECK(fields.feed("GET / HTTP/1.1\r\nA: b\r\nC"sv).event == h1_event::error);
  CAF_CHECK(fields.error() == fault::head_size);
  h1_request_parser target{{1000, 1, 3}};
  CAF_CHECK(target.feed("GET /xyz"sv).event == h1_event::error);
  CAF_CHECK(target.error() == fault::target_size);
}

CAF_TEST(the host of each head is its own) {
  struct row {
    std::string_view head;
    fault error;
    std::string_view host;
    std::optional<uint16_t> port;
  };
  const row rows[] = {
      {"GET / HTTP/1.1\r\nHost: A.example:8\r\n\r\n", fault::none, "a.example", 8},
      {"GET / HTTP/1.1\r\nHost: A.example:8\r\n\r\n", fault::none, "a.example", 8},
      {"GET / HTTP/1.1\r\nHost: A.example\r\n\r\n", fault::none, "a.example", {}},
      {"GET / HTTP/1.0\r\n\r\n", fault::none, "", {}},
      {"GET / HTTP/1.1\r\nHost:\r\n\r\n", fault::host, "", {}},
      {"GET / HTTP/1.1\r\nHost: a..example\r\n\r\n", fault::host, "", {}},
      {"GET / HTTP/1.1\r\n\r\n", fault::host, "", {}},
      {"GET / HTTP/1.1\r\nHost: A.example\r\n\r\n", fault::none, "a.example", {}},
      {"GET http://B/ HTTP/1.1\r\nHost: A.example\r\n\r\n", fault::none, "b", {}},
      {"GET http://B:9/ HTTP/1.0\r\n\r\n", fault::none, "b", 9},
      {"CONNECT b:9 HTTP/1.1\r\nHost: b\r\n\r\n", fault::none, "b", 9},
      {"CONNECT b HTTP/1.1\r\nHost: b:9\r\n\r\n", fault::target, "", {}},
      {"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", fault::none, "a.example", {}},
  };
  h1_request_parser parser;
  for (const auto& [head, error, host, port] : rows) {
    CAF_MESSAGE(head);
    CAF_CHECK(parser.feed(head).event == (error == fault::none ? h1_event::head : h1_event::error));
    CAF_CHECK(parser.error() == error);
    CAF_CHECK_EQUAL(parser.request().host, host);
    CAF_CHECK(parser.request().port == port);
    parser.reset();
  }
}

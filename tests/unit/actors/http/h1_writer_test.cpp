#define CAF_SUITE h1_writer

#include "actors/http/h1_writer.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::literals;

namespace {

constexpr auto date = "Sun, 06 Nov 1994 08:49:37 GMT"sv;

} // namespace

CAF_TEST(a head has its lines in order) {
  const field fields[] = {{"X", "y"}, {"Z", ""}};
  h1_response_head head;
  head.status = 404;
  head.connection = h1_connection::close;
  head.content_length = 12;
  head.date = date;
  head.server = "caf_app";
  head.content_type = "text/plain";
  head.fields = fields;
  std::string out = "before ";
  CAF_CHECK(append_head(out, head));
  CAF_CHECK_EQUAL(out, "before HTTP/1.1 404 Not Found\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                       "Server: caf_app\r\nContent-Type: text/plain\r\nContent-Length: 12\r\n"
                       "Connection: close\r\nX: y\r\nZ: \r\n\r\n");
}

CAF_TEST(what is empty is left out) {
  std::string out;
  h1_response_head head;
  head.content = h1_content::none;
  CAF_CHECK(append_head(out, head));
  CAF_CHECK_EQUAL(out, "HTTP/1.1 200 OK\r\n\r\n");
}

CAF_TEST(content is announced by one field) {
  std::string out;
  h1_response_head head;
  head.status = 299;
  head.content = h1_content::chunked;
  head.connection = h1_connection::keep_alive;
  CAF_CHECK(append_head(out, head));
  CAF_CHECK_EQUAL(out, "HTTP/1.1 299 Unknown\r\nTransfer-Encoding: chunked\r\n"
                       "Connection: keep-alive\r\n\r\n");
  out.clear();
  head.content = h1_content::length;
  head.content_length = UINT64_MAX;
  CAF_CHECK(append_head(out, head));
  CAF_CHECK(out.find("Content-Length: 18446744073709551615\r\n") != std::string::npos);
}

CAF_TEST(no field can break out of its line) {
  std::string out = "before";
  for (auto value : {"a\r\nb"sv, "a\nb"sv, "a\rb"sv, "a\0b"sv, "\x7f"sv}) {
    const field bad_value[] = {{"X", value}};
    const field bad_name[] = {{value, "x"}};
    h1_response_head head;
    head.fields = bad_value;
    CAF_CHECK(!append_head(out, head));
    head.fields = bad_name;
    CAF_CHECK(!append_head(out, head));
    head.fields = {};
    head.content_type = value;
    CAF_CHECK(!append_head(out, head));
    CAF_CHECK(!append_last_chunk(out, bad_value));
    CAF_CHECK(!append_interim(out, 103, bad_value));
  }
  CAF_CHECK_EQUAL(out, "before");
}

CAF_TEST(the connection field follows version and will) {
  CAF_CHECK(connection_field(1, true) == h1_connection::implicit);
  CAF_CHECK(connection_field(1, false) == h1_connection::close);
  CAF_CHECK(connection_field(0, true) == h1_connection::keep_alive);
  CAF_CHECK(connection_field(0, false) == h1_connection::close);
}

CAF_TEST(interim responses end with their head) {
  std::string out;
  CAF_CHECK(append_interim(out, 100));
  CAF_CHECK_EQUAL(out, "HTTP/1.1 100 Continue\r\n\r\n");
}

CAF_TEST(chunks are framed and never empty) {
  std::string out;
  append_chunk(out, "");
  append_chunk(out, std::string(31, 'x'));
  const field trailers[] = {{"X-Sum", "1"}};
  CAF_CHECK(append_last_chunk(out, trailers));
  CAF_CHECK_EQUAL(out, "1f\r\n" + std::string(31, 'x') + "\r\n0\r\nX-Sum: 1\r\n\r\n");
  const chunk_head largest{SIZE_MAX};
  CAF_CHECK_EQUAL(largest.view(), "ffffffffffffffff\r\n"sv);
}

CAF_TEST(a refusal has a short body but not for HEAD) {
  h1_refusal refusal;
  refusal.status = 405;
  const field fields[] = {{"Allow", "GET"}};
  refusal.fields = fields;
  std::string out;
  append_refusal(out, refusal);
  const auto head = "HTTP/1.1 405 Method Not Allowed\r\nContent-Type: text/plain\r\n"
                    "Content-Length: 23\r\nConnection: close\r\nAllow: GET\r\n\r\n"s;
  CAF_CHECK_EQUAL(out, head + "405 Method Not Allowed\n");
  out.clear();
  refusal.method = method::head;
  append_refusal(out, refusal);
  CAF_CHECK_EQUAL(out, head);
}

CAF_TEST(a prepared response gets its date on each use) {
  h1_response_head head;
  head.server = "s";
  head.content_type = "text/plain";
  const auto prepared = h1_prepared_response::make(head, "Hello");
  CAF_REQUIRE(prepared);
  std::string out;
  prepared->append_to(out, date);
  const auto expected = "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: s\r\n"
                        "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\n"s;
  CAF_CHECK_EQUAL(out, expected + "Hello");
  prepared->append_head_to(out, date);
  CAF_CHECK_EQUAL(out, expected + "Hello" + expected);
  const field bad[] = {{"X", "\n"}};
  head.fields = bad;
  CAF_CHECK(!h1_prepared_response::make(head, ""));
}

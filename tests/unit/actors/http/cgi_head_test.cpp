#define CAF_SUITE cgi_head
#include "actors/http/cgi_head.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

/// "status length|name=value|...[content]" in slices of `size`.
std::string read(std::string_view input, size_t size, size_t max = 64 * 1024) {
  cgi_head_reader reader{max};
  for (size_t at = 0; at < input.size(); at += size) {
    const auto slice = input.substr(at, size);
    switch (reader.feed(slice)) {
      case cgi_head_reader::outcome::need_more: continue;
      case cgi_head_reader::outcome::bad: return "bad";
      case cgi_head_reader::outcome::head: break;
    }
    auto result = std::to_string(reader.head().status);
    if (reader.head().content_length)
      result += " " + std::to_string(*reader.head().content_length);
    for (const auto& [name, value] : reader.head().fields)
      result += "|" + name + "=" + value;
    return result + "[" + std::string{reader.rest()} +
           std::string{input.substr(std::min(at + size, input.size()))} + "]";
  }
  return "need more";
}

void check(std::string_view input, std::string_view wanted) {
  for (size_t size = 1; size <= input.size(); ++size)
    CAF_CHECK_EQUAL(read(input, size), wanted);
}

} // namespace

CAF_TEST(fields and content) {
  check("Content-Type: text/html\r\nX-A:b\r\n\r\nbody", "200|Content-Type=text/html|X-A=b[body]");
  check("Content-Type: text/html\n\nbody\n\n", "200|Content-Type=text/html[body\n\n]");
  check("Content-Type: a/b\r\n\nx", "200|Content-Type=a/b[x]");
  check("\nx", "200[x]");
}

CAF_TEST(a status of its own) {
  check("Status: 404 Not Found\r\n\r\n", "404[]");
  check("X: y\r\nstatus: 503\r\n\r\nz", "503|X=y[z]");
  for (const auto* bad : {"Status: 99\n\n", "Status: 1000\n\n", "Status: abc\n\n", "Status:\n\n",
                          "Status: 100 Continue\n\n", "Status: 600 X\n\n"})
    check(bad, "bad");
}

CAF_TEST(a place alone is a redirect) {
  check("Location: /x\r\n\r\n", "302|Location=/x[]");
  check("Location: /x\r\nStatus: 201 Created\r\n\r\n", "201|Location=/x[]");
}

CAF_TEST(the length is known and framing is ours) {
  check("Content-Length: 5\r\nTransfer-Encoding: x\r\nConnection: x\r\nDate: x\r\n\r\nabcde",
        "200 5[abcde]");
  check("Content-Length: x\n\n", "bad");
  check("Content-Length: 1\nContent-Length: 1\n\n", "bad");
  check("Status: 200\nStatus: 404\n\n", "bad");
}

CAF_TEST(what is no head is bad) {
  check("no colon\n\n", "bad");
  check(": x\n\n", "bad");
  check("a b: x\n\n", "bad");
  check(std::string_view{"X: a\0b\n\n", 9}, "bad");
}

CAF_TEST(a head has so many fields) {
  std::string fields;
  for (size_t i = 0; i + 1 < cgi_head_reader::fields_max; ++i)
    fields += "X: y\n";
  CAF_CHECK_NOT_EQUAL(read(fields + "\n", 10'000), "bad");
  CAF_CHECK_NOT_EQUAL(read(fields + "X: y\n\n", 10'000), "bad");
  CAF_CHECK_EQUAL(read(fields + "X: y\nX: y\n\n", 10'000), "bad");
}

CAF_TEST(a head without end needs more until it is too long) {
  check("X: y\r\n", "need more");
  const std::string line = "X: " + std::string(95, 'y') + "\n"; // 99 bytes, one more ends it
  CAF_CHECK_EQUAL(read(line + "\n", 1000, 100), "200|X=" + std::string(95, 'y') + "[]");
  CAF_CHECK_EQUAL(read(line + "\n", 1000, 99), "bad");
  CAF_CHECK_EQUAL(read(line, 1000, 101), "need more");
}

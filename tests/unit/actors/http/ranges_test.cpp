#define CAF_SUITE ranges
#include "actors/http/ranges.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::http;

namespace {

// "200", "416" or "206 first-last ..." for a file of `size` bytes.
std::string answer(std::string_view value, uint64_t size) {
  const auto found = select_ranges(value, size);
  if (found.outcome == range_outcome::ignored)
    return found.ranges.empty() ? "200" : "200 with ranges";
  if (found.outcome == range_outcome::unsatisfiable)
    return found.ranges.empty() ? "416" : "416 with ranges";
  std::string result = "206";
  for (const auto& each : found.ranges)
    result += ' ' + std::to_string(each.first) + '-' + std::to_string(each.last);
  return result;
}

struct row {
  const char* value;
  uint64_t size;
  const char* expected;
};

std::string many(size_t count) {
  std::string result = "bytes=";
  for (size_t i = 0; i < count; ++i)
    result += std::to_string(i * 2) + "-" + std::to_string(i * 2) + ",";
  return result;
}

} // namespace

CAF_TEST(each row of the table is answered as the RFC or our choice says) {
  const row rows[]{
      {"bytes=0-4", 10, "206 0-4"},
      {"bytes=5-", 10, "206 5-9"},
      {"bytes=-3", 10, "206 7-9"},
      {"bytes=0-0", 10, "206 0-0"},
      {"bytes=9-9", 10, "206 9-9"},
      {"bytes=0-9", 10, "206 0-9"},
      {"bytes=0-10", 10, "206 0-9"},
      {"bytes=0-99999999999999999999999", 10, "206 0-9"},
      {"bytes=-10", 10, "206 0-9"},
      {"bytes=-11", 10, "206 0-9"},
      {"bytes=-99999999999999999999999", 10, "206 0-9"},
      {"BYTES=0-4", 10, "206 0-4"},
      {" bytes=0-4 ", 10, "206 0-4"},
      {"bytes= 0-4", 10, "206 0-4"},
      {"bytes=000-004", 10, "206 0-4"},
      // beyond the end
      {"bytes=10-", 10, "416"},
      {"bytes=10-20", 10, "416"},
      {"bytes=-0", 10, "416"},
      {"bytes=99999999999999999999999-", 10, "416"},
      {"bytes=10-11,20-", 10, "416"},
      {"bytes=-0,10-", 10, "416"},
      // malformed or unknown
      {"", 10, "200"},
      {"bytes", 10, "200"},
      {"bytes=", 10, "200"},
      {"bytes=,", 10, "200"},
      {"bytes=-", 10, "200"},
      {"bytes=5", 10, "200"},
      {"bytes=a-b", 10, "200"},
      {"bytes=1-b", 10, "200"},
      {"bytes=4-3", 10, "200"},
      {"bytes=20-19", 10, "200"},
      {"bytes=99999999999999999999999-99999999999999999999998", 10, "200"},
      {"bytes=0-1-2", 10, "200"},
      {"bytes=--1", 10, "200"},
      {"bytes=+1-2", 10, "200"},
      {"bytes=1 -2", 10, "200"},
      {"bytes =0-4", 10, "200"},
      {"bits=0-4", 10, "200"},
      {"items=0-4", 10, "200"},
      {"bytes=0-4,x", 10, "200"},
      {"bytes=10-,x", 10, "200"},
      {"bytes 0-4/10", 10, "200"},
      // an empty file
      {"bytes=0-", 0, "416"},
      {"bytes=0-0", 0, "416"},
      {"bytes=-1", 0, "200"},
      {"bytes=-0", 0, "416"},
      {"bytes=0-,-1", 0, "200"},
      // several
      {"bytes=0-1,4-5", 10, "206 0-1 4-5"},
      {"bytes=4-5,0-1", 10, "206 4-5 0-1"},
      {"bytes=0-1 ,\t4-5", 10, "206 0-1 4-5"},
      {"bytes=0-1,,4-5,", 10, "206 0-1 4-5"},
      {"bytes=0-1,20-", 10, "206 0-1"},
      {"bytes=20-,0-1,-0", 10, "206 0-1"},
      {"bytes=0-,-1", 10, "200"}, // 11 bytes of 10
      {"bytes=0-4,5-9", 10, "206 0-4 5-9"},
      {"bytes=0-4,4-8", 10, "206 0-4 4-8"}, // two that overlap are allowed
      {"bytes=0-2,2-4,4-6", 10, "200"},
      {"bytes=0-0,0-0", 10, "206 0-0 0-0"},
      {"bytes=0-0,0-0,0-0", 10, "200"},
  };
  for (const auto& each : rows) {
    CAF_MESSAGE(each.value);
    CAF_CHECK_EQUAL(answer(each.value, each.size), each.expected);
  }
}

CAF_TEST(sixteen ranges are served and seventeen are not ) {
  CAF_CHECK_EQUAL(select_ranges(many(15), 100).ranges.size(), 15u);
  CAF_CHECK_EQUAL(select_ranges(many(16), 100).ranges.size(), 16u);
  CAF_CHECK_EQUAL(answer(many(17), 100), "200");
}

CAF_TEST(ranges that nobody can have count towards the sixteen) {
  CAF_CHECK_EQUAL(answer(many(17), 3), "200");
}

CAF_TEST(no selection leaves the file or sends more than it) {
  std::mt19937 random{test_seed()};
  for (auto round = 0; round < 3000; ++round) {
    const auto size = random() % 12;
    std::string value = "bytes=";
    for (auto members = random() % 4 + 1; members > 0; --members) {
      if (random() % 4 != 0)
        value += std::to_string(random() % 14);
      value += '-';
      if (random() % 4 != 0)
        value += std::to_string(random() % 14);
      value += ',';
    }
    const auto found = select_ranges(value, size);
    uint64_t total = 0;
    for (const auto& each : found.ranges) {
      CAF_REQUIRE(each.first <= each.last);
      CAF_REQUIRE(each.last < size);
      total += each.size();
    }
    CAF_REQUIRE(total <= size);
    CAF_REQUIRE_EQUAL(found.outcome == range_outcome::satisfiable, !found.ranges.empty());
  }
}

CAF_TEST(Content - Range names the part or the size) {
  CAF_CHECK_EQUAL(content_range({0, 4}, 10), "bytes 0-4/10");
  CAF_CHECK_EQUAL(unsatisfied_range(10), "bytes */10");
}

CAF_TEST(a multipart body is what RFC 9110 shows and as long as it says) {
  const std::string content = "0123456789";
  const multipart_body body{{{0, 1}, {8, 9}}, content.size(), "text/plain", "B"};
  std::string sent;
  for (const auto& part : body.parts)
    sent += part.head + content.substr(part.range.first, part.range.size());
  sent += body.tail;
  CAF_CHECK_EQUAL(sent, "--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01"
                        "\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n"
                        "\r\n89\r\n--B--\r\n");
  CAF_CHECK_EQUAL(body.size, sent.size());
}

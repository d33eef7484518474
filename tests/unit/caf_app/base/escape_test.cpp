#define CAF_SUITE escape
#include "caf_app/base/escape.hpp"

#include <random>

#include <boost/json.hpp>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app;

namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json_escaped(out, text);
  return out;
}

std::string line(std::string_view text) {
  std::string out;
  append_line_escaped(out, text);
  return out;
}

const std::string broken = "\xEF\xBF\xBD";

} // namespace

CAF_TEST(plain text and good UTF 8 stay) {
  for (const auto* text : {"", "abc", "gr\xC3\xBC\xC3\x9F", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    CAF_CHECK_EQUAL(json(text), text);
    CAF_CHECK_EQUAL(line(text), text);
  }
}

CAF_TEST(controls become escapes) {
  CAF_CHECK_EQUAL(json("a\nb\r\t\x1b\x7f"), "a\\nb\\r\\t\\u001b\\u007f");
  CAF_CHECK_EQUAL(line("a\nb\r\t\x1b\x7f"), "a\\nb\\r\\t\\x1b\\x7f");
  CAF_CHECK_EQUAL(json(std::string_view{"\0", 1}), "\\u0000");
  CAF_CHECK_EQUAL(json("\xC2\x9B"), "\\u009b"); // the one byte form of ESC [
  CAF_CHECK_EQUAL(line("\xC2\x9B"), "\\x9b");
}

CAF_TEST(quotes and backslashes are escaped in JSON only) {
  CAF_CHECK_EQUAL(json("\"\\"), "\\\"\\\\");
  CAF_CHECK_EQUAL(line("\"\\"), "\"\\");
}

CAF_TEST(each byte that is no UTF 8 becomes a replacement character) {
  const std::vector<std::pair<std::string, size_t>> rows{
      {"\x80", 1},             // continuation alone
      {"\xC0\xAF", 2},         // overlong
      {"\xC3", 1},             // cut off
      {"\xE0\x9F\xBF", 3},     // overlong
      {"\xED\xA0\x80", 3},     // surrogate
      {"\xE2\x82", 2},         // cut off
      {"\xF0\x8F\xBF\xBF", 4}, // overlong
      {"\xF4\x90\x80\x80", 4}, // beyond Unicode
      {"\xF5\x80\x80\x80", 4}, // beyond Unicode
      {"\xFF", 1},
  };
  for (const auto& [text, count] : rows) {
    std::string wanted;
    for (size_t i = 0; i < count; ++i)
      wanted += broken;
    CAF_CHECK_EQUAL(json(text), wanted);
    CAF_CHECK_EQUAL(json("x" + text + "y"), "x" + wanted + "y");
  }
}

CAF_TEST(any bytes make valid JSON without controls) {
  std::mt19937 random{test_seed()};
  for (int i = 0; i < 5'000; ++i) {
    std::string bytes(random() % 24, '\0');
    for (auto& byte : bytes)
      byte = static_cast<char>(random() % 3 ? random() : 0xC0 + random() % 0x40);
    const auto text = "\"" + json(bytes) + "\"";
    boost::json::error_code failed;
    boost::json::parse(text, failed);
    CAF_REQUIRE(!failed);
    for (const char c : line(bytes))
      CAF_REQUIRE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
  }
}

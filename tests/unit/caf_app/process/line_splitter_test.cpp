#define CAF_SUITE line_splitter
#include "caf_app/process/line_splitter.hpp"

#include <random>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using caf_app::line_splitter;
using lines = std::vector<std::string>;

namespace {

/// What a splitter makes of `text` in pieces of `piece` bytes.
lines split(const std::string& text, size_t piece, size_t limit = 100) {
  lines result;
  const auto keep = [&](std::string_view line) { result.emplace_back(line); };
  line_splitter splitter{limit};
  for (size_t at = 0; at < text.size(); at += piece)
    splitter.feed(std::string_view{text}.substr(at, piece), keep);
  splitter.finish(keep);
  return result;
}

} // namespace

CAF_TEST(lines do not depend on how the bytes arrive) {
  const std::string text = "one\n\ntwo\r\nthr\ree\nrest";
  const lines wanted{"one", "", "two", "thr\ree", "rest"};
  for (size_t piece = 1; piece <= text.size(); ++piece)
    CAF_CHECK_EQUAL(split(text, piece), wanted);
}

CAF_TEST(nothing gives no line) { CAF_CHECK(split("", 1).empty()); }

CAF_TEST(a line feed at the end does not open another line) {
  const lines wanted{"a"};
  CAF_CHECK_EQUAL(split("a\n", 1), wanted);
  CAF_CHECK_EQUAL(split("a\n", 2), wanted);
}

CAF_TEST(a line as long as the limit is whole and one byte more is cut) {
  for (size_t piece : {1, 3, 100}) {
    const lines below{"1234567", "x"};
    CAF_CHECK_EQUAL(split("1234567\nx", piece, 8), below);
    const lines at{"12345678", "x"};
    CAF_CHECK_EQUAL(split("12345678\nx", piece, 8), at);
    const lines above{"12345678", "9", "x"};
    CAF_CHECK_EQUAL(split("123456789\nx", piece, 8), above);
  }
}

CAF_TEST(an endless line never holds more than the limit) {
  line_splitter splitter{16};
  size_t bytes = 0;
  for (int i = 0; i < 1000; ++i) {
    splitter.feed("abcdefg", [&](std::string_view line) { bytes += line.size(); });
    CAF_REQUIRE_LESS_OR_EQUAL(splitter.pending(), 16u);
  }
  const auto total = bytes + splitter.pending();
  CAF_CHECK_EQUAL(total, 7000u);
}

CAF_TEST(random text in random pieces gives the lines of the whole text) {
  std::mt19937 random{test_seed()};
  for (int round = 0; round < 200; ++round) {
    std::string text;
    for (auto n = random() % 200; n > 0; --n)
      text += "ab\n\r"[random() % 4];
    CAF_REQUIRE_EQUAL(split(text, 1 + random() % 20, 9), split(text, text.size() + 1, 9));
  }
}

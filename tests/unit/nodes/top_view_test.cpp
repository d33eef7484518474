#define CAF_SUITE top_view
#include "nodes/top_view.hpp"

#include <algorithm>
#include <sstream>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

top_view example() {
  top_view result;
  result.title = "12:00:00";
  result.rows = {
      {"edge-1", "serving", 41'800, 0.0123, 64, 3, "web_bound", std::nullopt, 90'000},
      {"eval-1", "serving", 0, std::nullopt, 0, std::nullopt, "", 17, 7'200'000},
      {"gone", "down", {}, {}, {}, {}, "", {}, {}},
  };
  return result;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> result;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}

} // namespace

CAF_TEST(a wide terminal shows everything) {
  const auto screen = lines(to_screen(example(), 80, 24));
  CAF_REQUIRE_EQUAL(screen.size(), 6u);
  CAF_CHECK_EQUAL(screen[0], "12:00:00  3 nodes  41.8k req/s  eval queue 17");
  CAF_CHECK_EQUAL(screen[1], "");
  CAF_CHECK_EQUAL(screen[2], "NODE    STATE    REQ/S   P99  CONN  INST  VERDICT    EVALQ  UP");
  CAF_CHECK_EQUAL(screen[3], "edge-1  serving  41.8k  12ms    64     3  web_bound      -  1m");
  CAF_CHECK_EQUAL(screen[4], "eval-1  serving      0     -     0     -  -             17  2h");
  CAF_CHECK_EQUAL(screen[5], "gone    down         -     -     -     -  -              -   -");
}

CAF_TEST(no line is wider than the terminal and no terminal is too small) {
  for (size_t width = 0; width < 100; ++width)
    for (size_t height = 0; height < 10; ++height) {
      const auto screen = lines(to_screen(example(), width, height));
      CAF_CHECK(screen.size() <= height);
      CAF_CHECK(std::all_of(screen.begin(), screen.end(),
                            [&](const auto& line) { return line.size() <= width; }));
    }
}

CAF_TEST(narrow terminals lose the least important columns first) {
  const auto wide = lines(to_screen(example(), 60, 24));
  const auto narrow = lines(to_screen(example(), 30, 24));
  const auto least = lines(to_screen(example(), 20, 24));
  CAF_CHECK_EQUAL(wide.at(2), "NODE    STATE    REQ/S   P99  CONN  INST  VERDICT    EVALQ");
  CAF_CHECK_EQUAL(narrow.at(2), "NODE    STATE    REQ/S   P99");
  CAF_CHECK_EQUAL(least.at(2), "NODE    STATE");
}

CAF_TEST(low terminals tell how many nodes they do not show) {
  const auto screen = lines(to_screen(example(), 80, 5));
  CAF_REQUIRE_EQUAL(screen.size(), 5u);
  CAF_CHECK_EQUAL(screen[3].substr(0, 6), "edge-1");
  CAF_CHECK_EQUAL(screen[4], "and 2 more");
}

CAF_TEST(a name cannot steer the terminal) {
  top_view view;
  view.rows.push_back({"a\x1b[2Jb\n\x7f", "up", {}, {}, {}, {}, "v\r", {}, {}});
  const auto screen = to_screen(view, 80, 24);
  CAF_CHECK_EQUAL(screen.find_first_of("\x1b\r\x7f"), std::string::npos);
  CAF_CHECK_NOT_EQUAL(screen.find("a?[2Jb??"), std::string::npos);
}

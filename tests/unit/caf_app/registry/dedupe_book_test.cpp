#define CAF_SUITE dedupe_book
#include "caf_app/registry/dedupe_book.hpp"

#include <string>

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace {

using book = caf_app::dedupe_book<int, std::string, int>;
using verdict = book::verdict;

const book::time_point start{1h};

} // namespace

CAF_TEST(the first is work and the others wait for its reply) {
  book testee;
  CAF_CHECK(testee.begin(1, 10, start + 1s, start) == verdict::fresh);
  CAF_CHECK(testee.begin(1, 11, start + 1s, start) == verdict::waiting);
  CAF_CHECK_EQUAL(testee.finish(1, "done"), (std::vector<int>{10, 11}));
  CAF_CHECK(testee.begin(1, 12, start + 1s, start) == verdict::answered);
  CAF_CHECK_EQUAL(testee.reply(1), "done");
}

CAF_TEST(what was dropped is work again) {
  book testee;
  CAF_CHECK(testee.begin(1, 10, start + 1s, start) == verdict::fresh);
  CAF_CHECK_EQUAL(testee.drop(1), (std::vector<int>{10}));
  CAF_CHECK(testee.begin(1, 11, start + 1s, start) == verdict::fresh);
}

CAF_TEST(an answer is kept until its deadline) {
  book testee;
  testee.begin(1, 10, start + 1s, start);
  testee.finish(1, "done");
  CAF_CHECK(testee.begin(1, 11, start + 1s, start + 999ms) == verdict::answered);
  CAF_CHECK(testee.begin(1, 11, start + 2s, start + 1s) == verdict::fresh);
}

CAF_TEST(answers above the bound go oldest first) {
  for (const size_t max : {2u, 3u}) {
    book testee{max};
    for (int key = 1; key <= 3; ++key) {
      testee.begin(key, 0, start + 1h, start);
      testee.finish(key, "done");
    }
    CAF_CHECK_EQUAL(testee.size(), max);
    CAF_CHECK(testee.begin(3, 0, start + 1h, start) == verdict::answered);
  }
}

CAF_TEST(open work is never forgotten) {
  book testee{1};
  testee.begin(1, 10, start + 1s, start);
  CAF_CHECK(testee.begin(2, 20, start + 1h, start + 1min) == verdict::fresh);
  CAF_CHECK_EQUAL(testee.finish(1, "late"), (std::vector<int>{10}));
}

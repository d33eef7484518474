#define CAF_SUITE nearest
#include "caf_app/base/nearest.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;

CAF_TEST(insertions and deletions and replacements and swaps cost one) {
  CAF_CHECK_EQUAL(edit_distance("", ""), 0u);
  CAF_CHECK_EQUAL(edit_distance("abc", ""), 3u);
  CAF_CHECK_EQUAL(edit_distance("", "abc"), 3u);
  CAF_CHECK_EQUAL(edit_distance("loops", "loop"), 1u);
  CAF_CHECK_EQUAL(edit_distance("loops", "lops"), 1u);
  CAF_CHECK_EQUAL(edit_distance("loops", "loopz"), 1u);
  CAF_CHECK_EQUAL(edit_distance("loops", "lopos"), 1u);
  CAF_CHECK_EQUAL(edit_distance("kitten", "sitting"), 3u);
}

CAF_TEST(the distance is symmetric) {
  const std::vector<std::string> words{"", "a", "listen", "lisetn", "max_body", "body_max"};
  for (const auto& x : words)
    for (const auto& y : words)
      CAF_CHECK_EQUAL(edit_distance(x, y), edit_distance(y, x));
}

CAF_TEST(the nearest candidate wins and the first among equals) {
  CAF_CHECK(nearest("lisen", {"loops", "listen", "lisven"}) == "listen");
  CAF_CHECK(nearest("max_boddy", {"max_body", "max_headers"}) == "max_body");
}

CAF_TEST(a candidate with more than a third of other letters is no hint) {
  CAF_CHECK(nearest("listen", {"lixxen"}) == "lixxen");
  CAF_CHECK(!nearest("listen", {"lixxxn"}));
  CAF_CHECK(!nearest("zzz", {"listen", "loops"}));
  CAF_CHECK(!nearest("anything", {}));
}

CAF_TEST(short words may differ in one letter but not in all) {
  CAF_CHECK(nearest("ky", {"key"}) == "key");
  CAF_CHECK(!nearest("a", {"b"}));
}

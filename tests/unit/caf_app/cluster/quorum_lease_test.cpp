#define CAF_SUITE quorum_lease
#include "caf_app/cluster/quorum_lease.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

const quorum_lease::clock::time_point start{1h};

member_id node(const std::string& name, uint64_t life = 1) { return {name, {life, 1}}; }

quorum_lease of_three(quorum_mode mode = quorum_mode::majority) {
  return quorum_lease{{mode, {"a", "b", "c"}, node("a"), 2s}};
}

} // namespace

CAF_TEST(alone in three there is no quorum) {
  auto lease = of_three();
  CAF_CHECK(!lease.quorate(start));
  CAF_CHECK(of_three(quorum_mode::none).quorate(start));
}

CAF_TEST(a lease counts from the sending of what was acknowledged) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b"), 1, {});
  CAF_CHECK(lease.quorate(start + 2s));
  CAF_CHECK(!lease.quorate(start + 2001ms));
  lease.sent(2, start + 1s);
  lease.acknowledged(node("b"), 2, {});
  CAF_CHECK(lease.quorate(start + 3s));
}

CAF_TEST(an acknowledgement of something never sent counts for nothing) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b"), 2, {});
  CAF_CHECK(!lease.quorate(start));
}

CAF_TEST(an old acknowledgement does not shorten a lease) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.sent(2, start + 500ms);
  lease.acknowledged(node("b"), 2, {});
  lease.acknowledged(node("b"), 1, {});
  CAF_CHECK(lease.quorate(start + 2500ms));
}

CAF_TEST(nodes outside of the file do not vote) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b.1"), 1, {});
  lease.acknowledged(node("d"), 1, {});
  CAF_CHECK(!lease.quorate(start));
}

CAF_TEST(two lives of a node have one vote) {
  quorum_lease lease{{quorum_mode::majority, {"a", "b", "c", "d", "e"}, node("a"), 2s}};
  lease.sent(1, start);
  lease.acknowledged(node("b", 1), 1, {});
  lease.acknowledged(node("b", 2), 1, {});
  CAF_CHECK(!lease.quorate(start));
  lease.acknowledged(node("c"), 1, {});
  CAF_CHECK(lease.quorate(start));
}

CAF_TEST(support is counted apart from hearing) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b"), 1, node("c"));
  CAF_CHECK(lease.quorate(start));
  CAF_CHECK(!lease.supported(start, true));
  lease.acknowledged(node("b"), 1, node("a"));
  CAF_CHECK(lease.supported(start, true));
  CAF_CHECK(!lease.supported(start, false));
  lease.acknowledged(node("c"), 1, node("a"));
  CAF_CHECK(lease.supported(start, false));
}

CAF_TEST(support of another life is no support) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b"), 1, node("a", 9));
  CAF_CHECK(!lease.supported(start, true));
}

CAF_TEST(what is forgotten does not count) {
  auto lease = of_three();
  lease.sent(1, start);
  lease.acknowledged(node("b"), 1, {});
  CAF_CHECK(lease.heard_by(node("b"), start));
  lease.forget(node("b"));
  CAF_CHECK(!lease.quorate(start));
  CAF_CHECK(!lease.heard_by(node("b"), start));
}

#define CAF_SUITE cluster_groups
#include "caf_app/cluster/cluster_groups.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

const member_id a{"a", {1, 1}};
const member_id b{"b", {2, 1}};

/// Hands over what `from` has to say to `to`.
void pass(cluster_groups& from, const member_id& who, cluster_groups& to) {
  for (const auto& [id, body] : from.take_messages())
    to.on_groups(who, body);
}

} // namespace

CAF_TEST(a member is in a group once) {
  cluster_groups groups{a};
  groups.join("g", 1);
  groups.join("g", 1);
  CAF_CHECK_EQUAL(groups.take_changes().size(), 1u);
  groups.leave("g", 1);
  groups.leave("g", 1);
  CAF_CHECK_EQUAL(groups.take_changes().size(), 1u);
  CAF_CHECK_EQUAL(groups.size(), 0u);
}

CAF_TEST(a new link tells all and then what changes) {
  cluster_groups here{a};
  cluster_groups there{b};
  here.join("g", 1);
  here.link_up(b);
  there.link_up(a);
  here.join("g", 2);
  here.join("h", 1);
  here.leave("g", 1);
  pass(here, a, there);
  const auto plan = there.plan("g");
  CAF_CHECK(plan.local.empty());
  CAF_CHECK(plan.nodes == std::vector<member_id>{a});
  CAF_CHECK(there.snapshot() == (std::vector<group_change>{{"g", a, 2, true}, {"h", a, 1, true}}));
}

CAF_TEST(a snapshot and the changes after it leave no gap) {
  cluster_groups here{a};
  cluster_groups there{b};
  there.link_up(a);
  here.join("g", 1);
  here.link_up(b);
  pass(here, a, there);
  there.take_changes();
  auto known = there.snapshot();
  here.join("g", 2);
  here.forget(1);
  pass(here, a, there);
  const auto changes = there.take_changes();
  CAF_CHECK(changes == (std::vector<group_change>{{"g", a, 2, true}, {"g", a, 1, false}}));
}

CAF_TEST(a full list on a new link repairs what was missed) {
  cluster_groups here{a};
  cluster_groups there{b};
  there.link_up(a);
  here.join("g", 1);
  here.link_up(b);
  pass(here, a, there);
  here.link_down(b);
  here.leave("g", 1);
  here.join("g", 2);
  here.link_up(b);
  pass(here, a, there);
  CAF_CHECK(there.snapshot() == (std::vector<group_change>{{"g", a, 2, true}}));
}

CAF_TEST(members of a lost node go and each is told) {
  cluster_groups there{b};
  there.link_up(a);
  there.on_groups(a, {group_op::sync, {{"g", {1, 2}}, {"h", {1}}}});
  there.join("g", 9);
  there.take_changes();
  there.lost(a);
  CAF_CHECK_EQUAL(there.take_changes().size(), 3u);
  CAF_CHECK(there.plan("g").nodes.empty());
  CAF_CHECK(there.plan("g").local == std::vector<uint64_t>{9});
}

CAF_TEST(a node without a link tells nothing) {
  cluster_groups there{b};
  there.on_groups(a, {group_op::join, {{"g", {1}}}});
  CAF_CHECK_EQUAL(there.size(), 0u);
}

CAF_TEST(a dead actor leaves all its groups) {
  cluster_groups here{a};
  here.join("g", 1);
  here.join("h", 1);
  here.join("h", 2);
  here.forget(1);
  CAF_CHECK(here.snapshot() == (std::vector<group_change>{{"h", a, 2, true}}));
}

#define CAF_SUITE watch_table
#include "caf_app/registry/watch_table.hpp"

#include <set>

#include <caf/test/unit_test.hpp>

using caf_app::watch_table;

const int targets[2] = {};
const watch_table::target_key a = &targets[0];
const watch_table::target_key b = &targets[1];

uint64_t ref_of(const std::optional<watch_table::entry>& x) { return x ? x->ref : 0; }

CAF_TEST(every watch has its own reference) {
  watch_table testee;
  std::set<uint64_t> refs;
  for (int i = 0; i < 10; ++i)
    CAF_CHECK(refs.insert(testee.add(i % 2 ? a : b, nullptr)).second);
  CAF_CHECK_EQUAL(refs.count(0), 0u);
  CAF_CHECK_EQUAL(testee.size(), 10u);
}

CAF_TEST(the watches of a target are taken oldest first) {
  watch_table testee;
  const auto first = testee.add(a, nullptr);
  const auto other = testee.add(b, nullptr);
  const auto second = testee.add(a, nullptr);
  const auto third = testee.add(a, nullptr);
  CAF_CHECK_EQUAL(ref_of(testee.take(second)), second);
  CAF_CHECK_EQUAL(ref_of(testee.take_oldest(a)), first);
  CAF_CHECK_EQUAL(ref_of(testee.take_oldest(a)), third);
  CAF_CHECK(!testee.take_oldest(a));
  CAF_CHECK(!testee.has_target(a));
  CAF_CHECK(testee.has_target(b));
  CAF_CHECK_EQUAL(ref_of(testee.take_oldest(b)), other);
  CAF_CHECK(testee.empty());
}

CAF_TEST(a reference that was taken stays dead when its slot is used again) {
  watch_table testee;
  const auto old = testee.add(a, nullptr);
  CAF_CHECK(testee.take(old));
  const auto fresh = testee.add(a, nullptr);
  CAF_CHECK_NOT_EQUAL(old, fresh);
  CAF_CHECK(!testee.take(old));
  CAF_CHECK(testee.take(fresh));
}

CAF_TEST(unknown references are refused) {
  watch_table testee;
  CAF_CHECK(!testee.take(0));
  CAF_CHECK(!testee.take(UINT64_MAX));
  testee.add(a, nullptr);
  CAF_CHECK(!testee.take(0));
  CAF_CHECK(!testee.take(1));
}

#define CAF_SUITE pending_table
#include "caf_app/cluster/pending_table.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

const pending_table<int>::clock::time_point start{1h};
const member_id a{"a", {1, 1}};
const member_id b{"b", {2, 1}};

} // namespace

CAF_TEST(a reply is delivered once and then late) {
  pending_table<int> table;
  table.insert({1, 1}, 42, a, start);
  CAF_CHECK(table.take({1, 1}) == 42);
  CAF_CHECK(!table.take({1, 1}));
  CAF_CHECK_EQUAL(table.late(), 1u);
  CAF_CHECK_EQUAL(table.size(), 0u);
}

CAF_TEST(request numbers count per actor) {
  pending_table<int> table;
  table.insert({1, 7}, 10, a, start);
  table.insert({2, 7}, 20, a, start);
  CAF_CHECK(table.take({2, 7}) == 20);
  CAF_CHECK(table.take({1, 7}) == 10);
}

CAF_TEST(a lost link answers its own requests and no others) {
  pending_table<int> table;
  table.insert({1, 1}, 1, a, start);
  table.insert({1, 2}, 2, b, start);
  table.insert({1, 3}, 3, a, start);
  CAF_CHECK_EQUAL(table.lose(a).size(), 2u);
  CAF_CHECK_EQUAL(table.lose(a).size(), 0u);
  CAF_CHECK(!table.take({1, 1}));
  CAF_CHECK(table.take({1, 2}) == 2);
}

CAF_TEST(entries live until their deadline or the maximum age) {
  pending_table<int> table{10s};
  table.insert({1, 1}, 1, a, start);
  table.insert({1, 2}, 2, a, start, start + 1s);
  CAF_CHECK(table.expire(start + 999ms).empty());
  CAF_CHECK_EQUAL(table.expire(start + 1s).size(), 1u);
  CAF_CHECK(table.expire(start + 9999ms).empty());
  CAF_CHECK_EQUAL(table.expire(start + 10s).size(), 1u);
  CAF_CHECK_EQUAL(table.size(), 0u);
}

CAF_TEST(a million requests without an answer leave nothing behind) {
  pending_table<int> table{1s};
  auto now = start;
  size_t largest = 0;
  for (uint64_t i = 0; i < 1'000'000; ++i) {
    table.insert({i % 100, i}, 0, a, now);
    if (i % 1000 == 0) {
      now += 100ms;
      table.expire(now);
      largest = std::max(largest, table.size());
    }
  }
  CAF_CHECK(largest <= 11'000);
  table.expire(now + 1s);
  CAF_CHECK_EQUAL(table.size(), 0u);
}

#define CAF_SUITE ask_table
#include "caf_app/registry/ask_table.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;

using table = caf_app::ask_table<int>;

const table::time_point start{1h}; // any origin will do

CAF_TEST(what was inserted is taken exactly once) {
  table testee;
  testee.insert(1, start, 10);
  testee.insert(2, start, 20);
  CAF_CHECK_EQUAL(testee.size(), 2u);
  CAF_CHECK_EQUAL(testee.take(1).value_or(0), 10);
  CAF_CHECK(!testee.take(1));
  CAF_CHECK_EQUAL(testee.take(2).value_or(0), 20);
  CAF_CHECK(testee.empty());
  CAF_CHECK(!testee.take(2));
}

CAF_TEST(an ask expires at its deadline and not before) {
  table testee;
  testee.insert(1, start + 5ms, 10);
  CAF_CHECK(!testee.take_expired(start + 5ms - 1ns));
  CAF_CHECK_EQUAL(testee.take_expired(start + 5ms).value_or(0), 10);
  CAF_CHECK(!testee.take_expired(start + 1h));
}

CAF_TEST(asks expire in the order of their deadlines) {
  table testee;
  testee.insert(1, start + 3ms, 3);
  testee.insert(2, start + 1ms, 1);
  testee.insert(3, start + 2ms, 2);
  testee.insert(4, start + 2ms, 4);
  std::vector<int> order;
  while (auto value = testee.take_expired(start + 1s))
    order.push_back(*value);
  CAF_CHECK_EQUAL(order, (std::vector<int>{1, 2, 4, 3}));
}

CAF_TEST(the earliest deadline ignores asks that were answered) {
  table testee;
  CAF_CHECK(!testee.earliest());
  testee.insert(1, start + 1ms, 1);
  testee.insert(2, start + 2ms, 2);
  CAF_CHECK(testee.earliest() == start + 1ms);
  testee.take(1);
  CAF_CHECK(testee.earliest() == start + 2ms);
  testee.take(2);
  CAF_CHECK(!testee.earliest());
}

CAF_TEST(values that can only be moved are kept and destroyed) {
  auto shared = std::make_shared<int>(7);
  {
    caf_app::ask_table<std::shared_ptr<int>> testee;
    for (uint64_t number = 1; number <= 100; ++number)
      testee.insert(number, start, shared);
    for (uint64_t number = 1; number <= 100; number += 2)
      testee.take(number);
    CAF_CHECK_EQUAL(shared.use_count(), 51);
    testee.clear();
    CAF_CHECK_EQUAL(shared.use_count(), 1);
  }
}

CAF_TEST(random use agrees with a slow model) {
  std::mt19937 random{test_seed()};
  table testee;
  std::map<uint64_t, std::pair<table::time_point, int>> model;
  auto now = start;
  uint64_t number = 0;
  for (int step = 0; step < 20'000; ++step) {
    switch (random() % 8) {
      case 0:
      case 1:
      case 2:
      case 3: {
        number += 1 + random() % 3; // other requests share the numbers
        const auto deadline =
            now + std::chrono::milliseconds{random() % 4 ? 1000 : random() % 5000};
        testee.insert(number, deadline, step);
        model.emplace(number, std::pair{deadline, step});
        break;
      }
      case 4:
      case 5:
      case 6: {
        if (model.empty())
          break;
        auto at = model.lower_bound(random() % (number + 1));
        if (at == model.end())
          at = model.begin();
        CAF_REQUIRE_EQUAL(testee.take(at->first).value_or(-1), at->second.second);
        model.erase(at);
        break;
      }
      default: {
        now += std::chrono::milliseconds{random() % 20};
        while (auto value = testee.take_expired(now)) {
          const auto first = std::min_element(model.begin(), model.end(), [](auto& a, auto& b) {
            return std::pair{a.second.first, a.first} < std::pair{b.second.first, b.first};
          });
          CAF_REQUIRE(first != model.end());
          CAF_REQUIRE_EQUAL(*value, first->second.second);
          CAF_REQUIRE(first->second.first <= now);
          model.erase(first);
        }
        CAF_REQUIRE(std::all_of(model.begin(), model.end(),
                                [&](const auto& entry) { return entry.second.first > now; }));
      }
    }
    CAF_REQUIRE_EQUAL(testee.size(), model.size());
  }
}

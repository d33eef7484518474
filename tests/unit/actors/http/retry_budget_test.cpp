#define CAF_SUITE retry_budget
#include "actors/http/retry_budget.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};

int take_all(retry_budget& budget, steady::time_point now) {
  int taken = 0;
  while (taken < 10'000 && budget.take(now))
    ++taken;
  return taken;
}

} // namespace

CAF_TEST(a quiet upstream has ten retries per second of its window) {
  retry_budget budget{0.2};
  CAF_CHECK_EQUAL(take_all(budget, start), 100);
  CAF_CHECK_EQUAL(take_all(budget, start + 9s), 0);
  CAF_CHECK_EQUAL(take_all(budget, start + 10s), 100); // the first second has left
}

CAF_TEST(a busy one has a share of its requests more) {
  retry_budget budget{0.2};
  for (int i = 0; i < 1000; ++i)
    budget.request(start + std::chrono::milliseconds{i * 5});
  CAF_CHECK_EQUAL(take_all(budget, start + 5s), 300);
  CAF_CHECK_EQUAL(take_all(budget, start + 12s), 0); // retries at 5 s still count, requests leave
  CAF_CHECK_EQUAL(take_all(budget, start + 15s), 100);
}

CAF_TEST(a share of nothing allows none) {
  retry_budget budget{0};
  budget.request(start);
  CAF_CHECK(!budget.take(start));
}

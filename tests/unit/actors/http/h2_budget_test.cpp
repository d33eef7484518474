#define CAF_SUITE h2_budget
#include "actors/http/h2_budget.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::chrono_literals;
using caf_app::steady;

namespace {

const steady::time_point start{1h};

// Spends until it cannot pay. @returns how many were paid
int drain(h2_budget& budget, h2_abuse kind, steady::time_point now) {
  auto paid = 0;
  while (budget.spend(kind, now) != h2_budget_state::spent)
    ++paid;
  return paid;
}

} // namespace

CAF_TEST(every bucket is as deep as the design says) {
  h2_budget budget{{}, start};
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_received, start), 400);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start), 100);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::control, start), 400);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::window_updates, start), 256);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::malformed, start), 50);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::refused, start), 200);
}

CAF_TEST(at three quarters the connection is strained) {
  h2_budget budget{{}, start};
  for (auto i = 0; i < 74; ++i)
    CAF_CHECK(budget.spend(h2_abuse::resets_sent, start) == h2_budget_state::fine);
  CAF_CHECK(budget.spend(h2_abuse::resets_sent, start) == h2_budget_state::strained);
}

CAF_TEST(tokens come back at their rate and never above the burst) {
  h2_budget budget{{}, start};
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start), 100);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start + 99ms), 0);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start + 100ms), 1);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start + 1100ms), 10);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::resets_sent, start + 1h), 100);
}

CAF_TEST(time gives no window updates but sent data does) {
  h2_budget budget{{}, start};
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::window_updates, start), 256);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::window_updates, start + 24h), 0);
  budget.earn(h2_abuse::window_updates, h2_window_updates_per_data);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::window_updates, start + 24h), 4);
}

CAF_TEST(savings beyond the burst are bounded) {
  h2_budget budget{{}, start};
  for (auto i = 0; i < 100'000; ++i)
    budget.earn(h2_abuse::window_updates, 4);
  CAF_CHECK_EQUAL(drain(budget, h2_abuse::window_updates, start), 256 * 64);
}

CAF_TEST(one kind does not pay for another) {
  h2_budget budget{{}, start};
  drain(budget, h2_abuse::control, start);
  CAF_CHECK(budget.spend(h2_abuse::resets_received, start) == h2_budget_state::fine);
}

#define CAF_SUITE busy_poll
#include "caf_app/base/busy_poll.hpp"

#include <algorithm>
#include <memory>

#include <caf/test/unit_test.hpp>

using namespace std::chrono_literals;
using caf_app::busy_poll;

namespace {

/// Occasions that are let go before the next look.
unsigned skipped(busy_poll& poll) {
  unsigned result = 0;
  while (!poll.due())
    ++result;
  return result;
}

/// A clock that goes on by `step` with each look at it.
struct ticking {
  std::chrono::microseconds step;
  std::shared_ptr<std::chrono::steady_clock::time_point> time =
      std::make_shared<std::chrono::steady_clock::time_point>();

  std::chrono::steady_clock::time_point operator()() const { return *time += step; }
};

} // namespace

CAF_TEST(it looks at every occasion while that finds something) {
  busy_poll poll;
  for (int i = 0; i < 3; ++i) {
    CAF_CHECK(poll.due());
    poll.looked(busy_poll::window, true);
  }
  CAF_CHECK_EQUAL(skipped(poll), 0u);
}

CAF_TEST(it looks ever more rarely while there is nothing) {
  busy_poll poll;
  for (const unsigned expected : {1u, 3u, 7u, 15u, 31u, 63u, 127u, 127u, 127u}) {
    poll.looked(busy_poll::window, false);
    CAF_CHECK_EQUAL(skipped(poll), expected);
  }
  CAF_MESSAGE("one find makes it look at every occasion again");
  poll.looked(1us, true);
  CAF_CHECK_EQUAL(skipped(poll), 0u);
}

CAF_TEST(it looks most rarely where others need the core) {
  busy_poll poll;
  poll.looked(busy_poll::crowded + 1ns, true);
  CAF_CHECK_EQUAL(skipped(poll), busy_poll::skipped_if_crowded);
  poll.looked(busy_poll::crowded, true);
  CAF_CHECK_EQUAL(skipped(poll), 0u);
}

CAF_TEST(find asks until it is told yes) {
  busy_poll poll;
  ticking clock{1us};
  int asked = 0;
  CAF_CHECK(poll.find(clock, [&] { return ++asked == 3; }));
  CAF_CHECK_EQUAL(asked, 3);
}

CAF_TEST(find gives up after its window) {
  for (const auto step : {1us, 9us, 10us, 49us, 50us, 51us}) {
    busy_poll poll;
    ticking clock{step};
    int asked = 0;
    CAF_CHECK(!poll.find(clock, [&] {
      ++asked;
      return false;
    }));
    CAF_CHECK_EQUAL(asked, std::max((busy_poll::window + step - 1us) / step, int64_t{1}));
    CAF_CHECK_EQUAL(skipped(poll), 1u);
  }
}

CAF_TEST(find that was let go asks nobody) {
  busy_poll poll;
  poll.looked(busy_poll::window, false);
  CAF_CHECK(!poll.find(ticking{1us}, []() -> bool {
    CAF_ERROR("asked");
    return true;
  }));
}

CAF_TEST(a find on a crowded core counts as such even if it found something) {
  busy_poll poll;
  CAF_CHECK(
      poll.find(ticking{busy_poll::crowded + 1us}, [asked = 0]() mutable { return ++asked == 1; }));
  CAF_CHECK_EQUAL(skipped(poll), busy_poll::skipped_if_crowded);
}

#define CAF_SUITE turn
#include "caf_app/loop/turn.hpp"

#include <thread>

#include <caf/test/unit_test.hpp>

using caf_app::turn;

namespace {

struct counter final : caf_app::turn_listener {
  int ends = 0;
  bool in_turn = false; // whether it could put something off when it was called

  void on_turn_end() override {
    ++ends;
    in_turn = turn::put_off(std::make_shared<counter>());
  }
};

} // namespace

CAF_TEST(without a turn nothing is put off) {
  const auto who = std::make_shared<counter>();
  CAF_CHECK(!turn::put_off(who));
  CAF_CHECK_EQUAL(who->ends, 0);
}

CAF_TEST(what was put off happens at the end and outside of the turn) {
  const auto who = std::make_shared<counter>();
  {
    const turn slice;
    CAF_CHECK(turn::put_off(who));
    CAF_CHECK_EQUAL(who->ends, 0);
  }
  CAF_CHECK_EQUAL(who->ends, 1);
  CAF_CHECK(!who->in_turn);
  CAF_CHECK(!turn::put_off(who));
}

CAF_TEST(a turn within a turn ends with the outer one) {
  const auto who = std::make_shared<counter>();
  {
    const turn outer;
    {
      const turn inner;
      CAF_CHECK(turn::put_off(who));
    }
    CAF_CHECK_EQUAL(who->ends, 0);
    CAF_CHECK(turn::put_off(who));
  }
  CAF_CHECK_EQUAL(who->ends, 2);
}

CAF_TEST(threads have turns of their own) {
  const turn slice;
  bool other = true;
  std::thread{[&] { other = turn::put_off(std::make_shared<counter>()); }}.join();
  CAF_CHECK(!other);
}

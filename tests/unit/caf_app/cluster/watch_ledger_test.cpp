#define CAF_SUITE watch_ledger
#include "caf_app/cluster/watch_ledger.hpp"

#include <caf/test/unit_test.hpp>

using caf_app::member_id;
using caf_app::watch_ledger;

namespace {

const member_id a{"a", {1, 1}};
const member_id b{"b", {2, 1}};
using refs = std::vector<uint64_t>;

} // namespace

CAF_TEST(only the first watch of an actor asks its node) {
  watch_ledger ledger;
  CAF_CHECK(ledger.watch(1, a, 7));
  CAF_CHECK(!ledger.watch(2, a, 7));
  CAF_CHECK(ledger.watch(3, b, 7));
  CAF_CHECK(ledger.watched_on(a) == refs{7});
}

CAF_TEST(a down frame ends each watch once) {
  watch_ledger ledger;
  ledger.watch(1, a, 7);
  ledger.watch(2, a, 7);
  CAF_CHECK(ledger.on_down(a, 7) == (refs{1, 2}));
  CAF_CHECK(ledger.on_down(a, 7).empty());
  CAF_CHECK(ledger.lost(a).empty());
  CAF_CHECK_EQUAL(ledger.size(), 0u);
}

CAF_TEST(a lost node ends its watches and no others) {
  watch_ledger ledger;
  ledger.watch(1, a, 7);
  ledger.watch(2, b, 7);
  ledger.watch(3, a, 8);
  CAF_CHECK(ledger.lost(a) == (refs{1, 3}));
  CAF_CHECK(ledger.on_down(a, 7).empty());
  CAF_CHECK(ledger.on_down(b, 7) == refs{2});
}

CAF_TEST(only the last watch that is taken back tells the node) {
  watch_ledger ledger;
  ledger.watch(1, a, 7);
  ledger.watch(2, a, 7);
  CAF_CHECK(!ledger.unwatch(1).first);
  const auto [last, whom] = ledger.unwatch(2);
  CAF_CHECK(last);
  CAF_CHECK(whom == std::pair(a, uint64_t{7}));
  CAF_CHECK(!ledger.unwatch(2).first);
  CAF_CHECK(ledger.on_down(a, 7).empty());
}

CAF_TEST(the watched side tells each node once) {
  watch_ledger ledger;
  CAF_CHECK(ledger.on_monitor(a, 7));
  CAF_CHECK(!ledger.on_monitor(b, 7));
  ledger.on_monitor(a, 7);
  ledger.on_monitor(a, 8);
  ledger.on_demonitor(b, 7);
  CAF_CHECK(ledger.ended(7) == std::vector<member_id>{a});
  CAF_CHECK(ledger.ended(7).empty());
  ledger.forget(a);
  CAF_CHECK(ledger.ended(8).empty());
}

#define CAF_SUITE upstream_policy
#include "actors/http/upstream_policy.hpp"

#include <functional>
#include <map>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};

upstream_rules with(balance_kind balance) {
  upstream_rules result;
  result.balance = balance;
  return result;
}

std::map<size_t, int> spread(upstream_balancer& balancer, int count, steady::time_point now,
                             const std::function<std::string(int)>& key = {}) {
  std::map<size_t, int> result;
  for (int i = 0; i < count; ++i) {
    const auto server = balancer.pick(now, key ? key(i) : "");
    CAF_REQUIRE(server.has_value());
    ++result[*server];
    balancer.done(*server, server_verdict::good, now);
  }
  return result;
}

} // namespace

CAF_TEST(the server with the fewest requests is next) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}, {}}};
  std::map<size_t, int> seen;
  for (int i = 0; i < 9; ++i)
    ++seen[*balancer.pick(start, "")];
  for (size_t i = 0; i < 3; ++i)
    CAF_CHECK_EQUAL(seen[i], 3);
  balancer.done(1, server_verdict::good, start);
  balancer.done(1, server_verdict::good, start);
  CAF_CHECK_EQUAL(*balancer.pick(start, ""), 1u);
  CAF_CHECK_EQUAL(*balancer.pick(start, ""), 1u);
}

CAF_TEST(equal servers take turns) {
  for (const auto kind : {balance_kind::least_conn, balance_kind::round_robin}) {
    upstream_balancer balancer{with(kind), {{}, {}, {}}};
    const auto seen = spread(balancer, 300, start);
    for (size_t i = 0; i < 3; ++i)
      CAF_CHECK_EQUAL(seen.at(i), 100);
  }
}

CAF_TEST(weights are shares) {
  upstream_balancer turns{with(balance_kind::round_robin), {{5, false}, {1, false}, {1, false}}};
  const auto seen = spread(turns, 70, start);
  CAF_CHECK_EQUAL(seen.at(0), 50);
  CAF_CHECK_EQUAL(seen.at(1), 10);
  upstream_balancer least{with(balance_kind::least_conn), {{3, false}, {1, false}}};
  for (int i = 0; i < 8; ++i)
    least.pick(start, "");
  CAF_CHECK_EQUAL(least.active(0), 6u);
  CAF_CHECK_EQUAL(least.active(1), 2u);
}

CAF_TEST(a key stays with its server and moves only if that is gone) {
  upstream_balancer balancer{with(balance_kind::hash_ip), {{}, {}, {}, {}}};
  std::map<std::string, size_t> home;
  std::map<size_t, int> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto key = "10.0.0." + std::to_string(i);
    home[key] = *balancer.pick(start, key);
    ++seen[home[key]];
    balancer.done(home[key], server_verdict::good, start);
    CAF_CHECK_EQUAL(*balancer.pick(start, key), home[key]);
    balancer.done(home[key], server_verdict::good, start);
  }
  for (const auto& [server, count] : seen)
    CAF_CHECK(count > 180 && count < 320);
  balancer.set_health(2, server_health::down, start);
  for (const auto& [key, server] : home) {
    const auto now = *balancer.pick(start, key);
    balancer.done(now, server_verdict::good, start);
    CAF_CHECK(server == 2 ? now != 2 : now == server);
  }
}

CAF_TEST(a server takes so many requests at once) {
  auto rules = with(balance_kind::least_conn);
  rules.max_conns = 2;
  upstream_balancer balancer{rules, {{}, {}}};
  for (int i = 0; i < 4; ++i)
    CAF_CHECK(balancer.pick(start, "").has_value());
  CAF_CHECK(!balancer.pick(start, "").has_value());
  CAF_CHECK(!balancer.is_dead(start));
  balancer.done(0, server_verdict::good, start);
  CAF_CHECK_EQUAL(*balancer.pick(start, ""), 0u);
}

CAF_TEST(backups wait until no other can be used) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{1, true}, {1, false}}};
  for (int i = 0; i < 5; ++i)
    CAF_CHECK_EQUAL(*balancer.pick(start, ""), 1u);
  balancer.set_health(1, server_health::down, start);
  CAF_CHECK_EQUAL(*balancer.pick(start, ""), 0u);
}

CAF_TEST(who was tried is not tried again) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}}};
  std::vector<bool> tried{true, false};
  CAF_CHECK_EQUAL(*balancer.pick(start, "", tried), 1u);
  tried[1] = true;
  CAF_CHECK(!balancer.pick(start, "", tried).has_value());
}

CAF_TEST(a failing server is out for a while) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}}};
  for (int i = 0; i < 4; ++i)
    balancer.done(0, server_verdict::bad, start);
  CAF_CHECK(!balancer.is_ejected(0, start));
  balancer.done(0, server_verdict::bad, start);
  CAF_CHECK(balancer.is_ejected(0, start));
  CAF_CHECK_EQUAL(spread(balancer, 10, start).at(1), 10);
  CAF_CHECK(balancer.is_ejected(0, start + 10s - 1ms));
  CAF_CHECK(!balancer.is_ejected(0, start + 10s));
}

CAF_TEST(failures count within their window and until a success) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}}};
  for (int i = 0; i < 4; ++i)
    balancer.done(0, server_verdict::bad, start);
  balancer.done(0, server_verdict::bad, start + 11s); // the others are too old
  CAF_CHECK(!balancer.is_ejected(0, start + 11s));
  for (int i = 0; i < 3; ++i)
    balancer.done(0, server_verdict::bad, start + 11s);
  balancer.done(0, server_verdict::good, start + 11s);
  balancer.done(0, server_verdict::bad, start + 11s);
  CAF_CHECK(!balancer.is_ejected(0, start + 11s));
}

CAF_TEST(only a share of the servers may be out) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}, {}, {}}};
  for (size_t server = 0; server < 4; ++server)
    for (int i = 0; i < 5; ++i)
      balancer.done(server, server_verdict::bad, start);
  CAF_CHECK(balancer.is_ejected(0, start) && balancer.is_ejected(1, start));
  CAF_CHECK(!balancer.is_ejected(2, start) && !balancer.is_ejected(3, start));
  auto all = with(balance_kind::least_conn);
  all.eject_max = 1;
  upstream_balancer one{all, {{}}};
  for (int i = 0; i < 5; ++i)
    one.done(0, server_verdict::bad, start);
  CAF_CHECK(one.is_dead(start));
}

CAF_TEST(a server comes back slowly) {
  auto rules = with(balance_kind::round_robin);
  rules.slow_start = 10s;
  upstream_balancer balancer{rules, {{}, {}}};
  for (int i = 0; i < 5; ++i)
    balancer.done(0, server_verdict::bad, start);
  const auto back = start + 10s; // its time is over, and the ramp has begun with it
  const auto early = spread(balancer, 100, back + 1s);
  CAF_CHECK(early.at(0) > 0 && early.at(0) < 20);
  const auto late = spread(balancer, 100, back + 10s);
  CAF_CHECK_EQUAL(late.at(0), 50);
}

CAF_TEST(what ends for other reasons says nothing of a server) {
  upstream_balancer balancer{with(balance_kind::least_conn), {{}, {}}};
  for (int i = 0; i < 4; ++i)
    balancer.done(0, server_verdict::bad, start);
  for (int i = 0; i < 100; ++i)
    balancer.done(0, server_verdict::unknown, start);
  CAF_CHECK(!balancer.is_ejected(0, start));
  balancer.done(0, server_verdict::bad, start);
  CAF_CHECK(balancer.is_ejected(0, start));
}

CAF_TEST(a server that checks found down comes back with them) {
  auto rules = with(balance_kind::round_robin);
  rules.slow_start = 10s;
  upstream_balancer balancer{rules, {{}, {}}};
  balancer.set_health(0, server_health::down, start);
  CAF_CHECK(balancer.is_down(0));
  CAF_CHECK_EQUAL(spread(balancer, 10, start).at(1), 10);
  balancer.set_health(0, server_health::up, start + 1s);
  CAF_CHECK(!balancer.is_down(0));
  const auto early = spread(balancer, 100, start + 2s);
  CAF_CHECK(early.at(0) > 0 && early.at(0) < 20);
  CAF_CHECK_EQUAL(spread(balancer, 100, start + 11s).at(0), 50);
}

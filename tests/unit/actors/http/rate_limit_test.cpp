#define CAF_SUITE rate_limit
#include "actors/http/rate_limit.hpp"

#include <algorithm>
#include <map>
#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::http;
using namespace std::chrono_literals;
using caf_app::steady;

namespace {

const steady::time_point start{1h};

int admitted(rate_limit& limit, std::string_view key, steady::time_point now, int tries) {
  auto result = 0;
  while (tries-- > 0)
    result += limit.admit(key, now).allowed;
  return result;
}

} // namespace

CAF_TEST(a full bucket gives its burst and then its rate) {
  rate_limit limit{{10, 5, 100}};
  CAF_CHECK_EQUAL(admitted(limit, "a", start, 20), 5);
  CAF_CHECK_EQUAL(admitted(limit, "a", start + 99ms, 20), 0);
  CAF_CHECK_EQUAL(admitted(limit, "a", start + 100ms, 20), 1);
  CAF_CHECK_EQUAL(admitted(limit, "a", start + 400ms, 20), 3);
  CAF_CHECK_EQUAL(admitted(limit, "a", start + 1h, 20), 5);
}

CAF_TEST(a refusal costs nothing and says when to come back) {
  rate_limit limit{{0.1, 1, 100}};
  CAF_CHECK(limit.admit("a", start).retry_after == 0s);
  for (auto i = 0; i < 100; ++i)
    CAF_CHECK(limit.admit("a", start).retry_after == 10s);
  CAF_CHECK(limit.admit("a", start + 9500ms).retry_after == 1s);
  CAF_CHECK(limit.admit("a", start + 10s).allowed);
}

CAF_TEST(keys do not pay for each other) {
  rate_limit limit{{1, 1, 100}};
  CAF_CHECK(limit.admit("a", start).allowed);
  CAF_CHECK(limit.admit("b", start).allowed);
  CAF_CHECK(!limit.admit("a", start).allowed);
}

CAF_TEST(the table is bounded and forgets who was longest unseen) {
  rate_limit limit{{0.001, 1, 3}};
  for (const auto key : {"a", "b", "c"})
    CAF_CHECK(limit.admit(key, start).allowed);
  CAF_CHECK(!limit.admit("a", start).allowed); // seen again
  CAF_CHECK(limit.admit("d", start).allowed);
  CAF_CHECK_EQUAL(limit.keys(), 3u);
  CAF_CHECK(!limit.admit("a", start).allowed);
  CAF_CHECK(limit.admit("b", start).allowed); // forgotten
}

CAF_TEST(instances share the rate of their host) {
  rate_limit limit{{10, 4, 100}};
  limit.set_instances(2);
  CAF_CHECK_EQUAL(admitted(limit, "a", start, 20), 2);
  CAF_CHECK_EQUAL(admitted(limit, "a", start + 1s, 1), 1);
  auto total = 0;
  for (auto i = 1; i <= 100; ++i)
    total += admitted(limit, "b", start + i * 100ms, 20);
  CAF_CHECK_GREATER_OR_EQUAL(total, 50);
  CAF_CHECK_LESS_OR_EQUAL(total, 53);
}

CAF_TEST(decisions are those of a bucket of tokens) {
  std::mt19937 random{test_seed()};
  rate_limit limit{{8, 3, 1000}}; // eighths are exact in both models
  std::map<std::string, std::pair<double, steady::time_point>> buckets;
  auto now = start;
  for (auto i = 0; i < 5000; ++i) {
    now += std::chrono::milliseconds{random() % 4 * 125};
    const auto key = std::string(1, static_cast<char>('a' + random() % 5));
    auto& [tokens, filled] = buckets.try_emplace(key, 3.0, now).first->second;
    tokens = std::min(3.0, tokens + caf_app::to_seconds(now - filled) * 8);
    filled = now;
    const auto expected = tokens >= 1;
    tokens -= expected ? 1 : 0;
    CAF_REQUIRE_EQUAL(limit.admit(key, now).allowed, expected);
  }
}

CAF_TEST(an IPv6 client is its network) {
  CAF_CHECK_EQUAL(rate_key_of_address("192.0.2.1"), "192.0.2.1");
  CAF_CHECK_EQUAL(rate_key_of_address("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
  CAF_CHECK_EQUAL(rate_key_of_address("2001:db8:1:2::"), "2001:db8:1:2::/64");
  CAF_CHECK_EQUAL(rate_key_of_address("::ffff:192.0.2.1"), "192.0.2.1");
  CAF_CHECK_EQUAL(rate_key_of_address("unix"), "unix");
}

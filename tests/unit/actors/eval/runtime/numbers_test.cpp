#define CAF_SUITE numbers
#include "caf_app/eval/numbers.hpp"

#include <limits>
#include <random>
#include <stdexcept>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"
#include "support/throws.hpp"

using namespace caf_app::eval;

namespace {

integer big(const char* text) { return *integer::parse(text); }

} // namespace

CAF_TEST(a power of two beyond 64 bits is exact) {
  CAF_CHECK_EQUAL(pow(integer{2}, 200).to_string(),
                  "1606938044258990275541962092341162602522202993782792835301376");
}

CAF_TEST(arithmetic agrees with 128 bits) {
  std::mt19937_64 random{test_seed()};
  for (int round = 0; round < 5'000; ++round) {
    const auto shift = random() % 64;
    const auto a = static_cast<int64_t>(random()) >> shift;
    auto b = static_cast<int64_t>(random()) >> (random() % 64);
    b = b == 0 ? 1 : b;
    const __int128 wide_a = a;
    auto check = [](const integer& got, __int128 expected) {
      const auto high = integer{static_cast<int64_t>(expected >> 64)};
      const auto low = integer{static_cast<uint64_t>(expected)};
      CAF_REQUIRE_EQUAL(got.to_string(), (high * pow(integer{2}, 64) + low).to_string());
    };
    check(integer{a} + integer{b}, wide_a + b);
    check(integer{a} - integer{b}, wide_a - b);
    check(integer{a} * integer{b}, wide_a * b);
    check(integer{a} / integer{b}, wide_a / b);
    check(integer{a} % integer{b}, wide_a % b);
    CAF_REQUIRE((integer{a} <=> integer{b}) == (a <=> b));
  }
}

CAF_TEST(results go back to small when they fit) {
  const auto limit = integer{std::numeric_limits<int64_t>::max()};
  CAF_CHECK((limit + 1 - 1) == limit);
  CAF_CHECK_EQUAL((limit + 1 - 1).to_int64(), std::numeric_limits<int64_t>::max());
  CAF_CHECK(throws<std::overflow_error>([&] { return (limit + 1).to_int64(); }));
  CAF_CHECK_EQUAL(integer{std::numeric_limits<uint64_t>::max()}.to_string(),
                  "18446744073709551615");
}

CAF_TEST(parsing takes decimal digits only) {
  CAF_CHECK_EQUAL(big("-000123").to_string(), "-123");
  CAF_CHECK_EQUAL(big("010").to_string(), "10");
  CAF_CHECK_EQUAL(big("-0").to_string(), "0");
  for (auto text : {"", "-", "+1", "1.0", "0x10", " 1", "1e2"})
    CAF_CHECK(!integer::parse(text));
}

CAF_TEST(a natural number never goes below zero) {
  CAF_CHECK(throws<std::domain_error>([&] { return nat{1} - nat{2}; }));
  CAF_CHECK(throws<std::domain_error>([&] { return nat{-1}; }));
  CAF_CHECK(!nat::parse("-1"));
  CAF_CHECK(nat{5} - 2 == 3);
}

CAF_TEST(division by zero and powers out of reach are errors) {
  CAF_CHECK(throws<std::domain_error>([&] { return integer{1} / integer{}; }));
  CAF_CHECK(throws<std::domain_error>([&] { return integer{1} % integer{}; }));
  CAF_CHECK(throws<std::domain_error>([&] { return pow(integer{2}, -1); }));
  CAF_CHECK(throws<std::overflow_error>([&] { return pow(integer{10}, 1'000'000'000); }));
  CAF_CHECK_EQUAL(pow(integer{-1}, 1'000'000'001).to_string(), "-1");
  CAF_CHECK_EQUAL(pow(integer{}, 0).to_string(), "1");
  CAF_CHECK_EQUAL(pow(integer{}, 7).to_string(), "0");
}

CAF_TEST(copies are independent) {
  auto a = pow(integer{2}, 100);
  auto b = a;
  b += 1;
  CAF_CHECK(b - a == 1);
  a = std::move(b);
  CAF_CHECK(a == pow(integer{2}, 100) + 1);
}

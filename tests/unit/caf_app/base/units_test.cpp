#define CAF_SUITE units
#include "caf_app/base/units.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/seed.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

std::string failure(const auto& result) { return result ? "none" : describe(result.error()); }

} // namespace

CAF_TEST(every duration unit is read) {
  const std::vector<std::pair<std::string, std::chrono::milliseconds>> rows{
      {"0ms", 0ms}, {"0s", 0ms},  {"500ms", 500ms}, {"5s", 5s},
      {"2m", 2min}, {"12h", 12h}, {"007s", 7s},
  };
  for (const auto& [text, duration] : rows) {
    const auto parsed = parse_duration(text);
    CAF_MESSAGE(text);
    CAF_REQUIRE(parsed);
    CAF_CHECK_EQUAL(parsed->count(), duration.count());
  }
}

CAF_TEST(durations without digits or with another unit are refused) {
  for (const auto* text : {"", "5", "s", "-5s", "+5s", " 5s", "5s ", "5 s", "5S", "1.5s", "5sec",
                           "1d", "1h30m", "0x5s", "99999999999999999999s"}) {
    CAF_MESSAGE(text);
    const auto parsed = parse_duration(text);
    CAF_REQUIRE(!parsed);
    CAF_CHECK(code_of(parsed.error()) == errc::invalid_argument);
  }
}

CAF_TEST(a refused duration is quoted beside examples) {
  CAF_CHECK_EQUAL(failure(parse_duration("5")),
                  "invalid argument: found \"5\", expected a duration such as \"500ms\", \"5s\", "
                  "\"2m\" or \"12h\"");
}

CAF_TEST(a duration may fill 63 bits and no more) {
  CAF_CHECK(parse_duration("9223372036854775807ms"));
  CAF_CHECK(!parse_duration("9223372036854775808ms"));
  CAF_CHECK(parse_duration("9223372036854775s"));
  CAF_CHECK(!parse_duration("9223372036854776s"));
}

CAF_TEST(every size unit is read) {
  const std::vector<std::pair<std::string, uint64_t>> rows{
      {"0", 0},         {"1", 1},           {"512", 512},         {"512B", 512},
      {"64KiB", 65536}, {"1MiB", 1u << 20}, {"3GiB", 3ull << 30},
  };
  for (const auto& [text, bytes] : rows) {
    const auto parsed = parse_size(text);
    CAF_MESSAGE(text);
    CAF_REQUIRE(parsed);
    CAF_CHECK_EQUAL(*parsed, bytes);
  }
}

CAF_TEST(sizes with units that mean different things are refused) {
  for (const auto* text : {"", "KiB", "-1", "64KB", "64k", "64K", "64kib", "1 MiB", "1.5MiB",
                           "1TiB", "99999999999999999999"}) {
    CAF_MESSAGE(text);
    CAF_CHECK(!parse_size(text));
  }
}

CAF_TEST(a size may fill 63 bits and no more) {
  CAF_CHECK(parse_size("9223372036854775807"));
  CAF_CHECK(!parse_size("9223372036854775808"));
  CAF_CHECK(parse_size("8589934591GiB"));
  CAF_CHECK(!parse_size("8589934592GiB"));
}

CAF_TEST(values are printed in the largest unit that divides them) {
  CAF_CHECK_EQUAL(format_duration(0ms), "0s");
  CAF_CHECK_EQUAL(format_duration(1ms), "1ms");
  CAF_CHECK_EQUAL(format_duration(1500ms), "1500ms");
  CAF_CHECK_EQUAL(format_duration(90s), "90s");
  CAF_CHECK_EQUAL(format_duration(120s), "2m");
  CAF_CHECK_EQUAL(format_duration(24h), "24h");
  CAF_CHECK_EQUAL(format_duration(-90s), "-90s");
  CAF_CHECK_EQUAL(format_size(0), "0B");
  CAF_CHECK_EQUAL(format_size(1000), "1000B");
  CAF_CHECK_EQUAL(format_size(65536), "64KiB");
  CAF_CHECK_EQUAL(format_size(10u << 20), "10MiB");
}

CAF_TEST(what is printed reads back as the same value) {
  std::mt19937_64 random{test_seed()};
  for (int i = 0; i < 10'000; ++i) {
    const auto value = random() >> (1 + random() % 63);
    const auto size = parse_size(format_size(value));
    CAF_REQUIRE(size);
    CAF_REQUIRE_EQUAL(*size, value);
    const std::chrono::milliseconds duration{static_cast<int64_t>(value)};
    const auto parsed = parse_duration(format_duration(duration));
    CAF_REQUIRE(parsed);
    CAF_REQUIRE_EQUAL(parsed->count(), duration.count());
  }
}

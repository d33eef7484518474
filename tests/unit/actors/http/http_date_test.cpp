#define CAF_SUITE http_date

#include "actors/http/http_date.hpp"

#include <ctime>
#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::http;
using namespace std::literals;

namespace {

constexpr int64_t now = 1700000000; // in 2023

std::string format(int64_t seconds) {
  const auto date = format_http_date(seconds);
  return {date.data(), date.size()};
}

} // namespace

CAF_TEST(the three formats of RFC 9110 are one date) {
  for (auto text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                    "Sun Nov  6 08:49:37 1994"})
    CAF_CHECK(parse_http_date(text, now) == 784111777);
  CAF_CHECK_EQUAL(format(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
}

CAF_TEST(dates are written as the C library does) {
  std::mt19937_64 random{test_seed()};
  for (int i = 0; i < 2000; ++i) {
    const auto seconds = static_cast<time_t>(random() % 253402300800);
    tm parts{};
    gmtime_r(&seconds, &parts);
    char expected[30];
    strftime(expected, sizeof(expected), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    CAF_REQUIRE_EQUAL(format(seconds), expected);
    CAF_REQUIRE(parse_http_date(expected, now) == seconds);
  }
}

CAF_TEST(times before 1970 and out of range are written too) {
  CAF_CHECK_EQUAL(format(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  CAF_CHECK_EQUAL(format(INT64_MIN), "Sat, 01 Jan 0000 00:00:00 GMT");
  CAF_CHECK_EQUAL(format(INT64_MAX), "Fri, 31 Dec 9999 23:59:59 GMT");
}

CAF_TEST(two digits are a year at most 50 years ahead) {
  CAF_CHECK(parse_http_date("Sunday, 06-Nov-73 08:49:37 GMT", now) ==
            parse_http_date("Mon, 06 Nov 2073 08:49:37 GMT", now));
  CAF_CHECK(parse_http_date("Sunday, 06-Nov-74 08:49:37 GMT", now) ==
            parse_http_date("Mon, 06 Nov 1974 08:49:37 GMT", now));
}

CAF_TEST(days exist) {
  CAF_CHECK(parse_http_date("Thu, 29 Feb 2024 00:00:00 GMT", now).has_value());
  for (auto text : {"Wed, 29 Feb 2023 00:00:00 GMT", "Thu, 29 Feb 1900 00:00:00 GMT",
                    "Sun, 31 Apr 2023 00:00:00 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
                    "Sun, 32 Jan 1994 08:49:37 GMT"})
    CAF_CHECK(!parse_http_date(text, now));
}

CAF_TEST(a leap second counts as the one before) {
  CAF_CHECK(parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", now) ==
            parse_http_date("Sat, 31 Dec 2016 23:59:59 GMT", now));
}

CAF_TEST(everything else is no date) {
  for (auto text : {"",
                    "now",
                    "0",
                    "Sun",
                    "Sun,",
                    "Sun, ",
                    "Sunday",
                    "Sunday,",
                    "sun, 06 Nov 1994 08:49:37 GMT",
                    "Sun, 6 Nov 1994 08:49:37 GMT",
                    "Sun, 06 nov 1994 08:49:37 GMT",
                    "Sun, 06 Nov 94 08:49:37 GMT",
                    "Sun, 06 Nov 1994 24:00:00 GMT",
                    "Sun, 06 Nov 1994 08:60:37 GMT",
                    "Sun, 06 Nov 1994 08:49:61 GMT",
                    "Sun, 06 Nov 1994 08:49:37 UTC",
                    "Sun, 06 Nov 1994 08:49:37 GMT ",
                    "Sun, 06 Nov 1994 08:49:37",
                    "Sun,  06 Nov 1994 08:49:37 GMT",
                    "Sun, 06 Nov 1994 8:49:37 GMT",
                    "Sun Nov 6 08:49:37 1994",
                    "Sun Nov  6 08:49:37 94",
                    "Sunday, 06-Nov-1994 08:49:37 GMT",
                    "Xxx, 06 Nov 1994 08:49:37 GMT"})
    CAF_CHECK(!parse_http_date(text, now));
}

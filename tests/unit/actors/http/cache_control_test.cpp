#define CAF_SUITE cache_control
#include "actors/http/cache_control.hpp"

#include <vector>

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

cache_control read(const std::vector<std::string_view>& lines) {
  cache_control result;
  for (const auto line : lines)
    result.read(line);
  return result;
}

int64_t number(const std::optional<std::chrono::seconds>& value) {
  return value ? value->count() : -1;
}

} // namespace

CAF_TEST(directives in any case and order) {
  const auto seen = read({"No-Store, PRIVATE , max-age=60", "must-revalidate,s-maxage=\"30\""});
  CAF_CHECK(seen.present && seen.no_store && seen.is_private && seen.must_revalidate);
  CAF_CHECK(!seen.no_cache && !seen.is_public && !seen.only_if_cached);
  CAF_CHECK_EQUAL(number(seen.max_age), 60);
  CAF_CHECK_EQUAL(number(seen.s_maxage), 30);
  CAF_CHECK(!read({}).present);
}

CAF_TEST(names of fields make a directive no weaker) {
  const auto seen = read({"no-cache=\"Set-Cookie, X\", private=x"});
  CAF_CHECK(seen.no_cache && seen.is_private);
}

CAF_TEST(nothing hides behind a quote that does not end) {
  for (const auto* line :
       {"x=\"a, no-store", "x=\"a\\\", no-store", "x=\"a,no-store,", "x=\",no-store"})
    CAF_CHECK(read({line}).no_store);
  for (const auto* line : {"x=\"a, no-store\"", "x=\"a\\\", no-store\", y"})
    CAF_CHECK(!read({line}).no_store);
  CAF_CHECK_EQUAL(number(read({"max-age=\"60"}).max_age), 0);
}

CAF_TEST(what cannot be read is stale) {
  for (const auto* line : {"max-age=", "max-age", "max-age=abc", "max-age=-1", "max-age=1.5",
                           "max-age=10 20", "max-age=\"\"", "max-age='60'"})
    CAF_CHECK_EQUAL(number(read({line}).max_age), 0);
  CAF_CHECK_EQUAL(number(read({"s-maxage=x"}).s_maxage), 0);
}

CAF_TEST(of two values the one that asks earlier counts) {
  CAF_CHECK_EQUAL(number(read({"max-age=60, max-age=10"}).max_age), 10);
  CAF_CHECK_EQUAL(number(read({"max-age=10", "max-age=60"}).max_age), 10);
  CAF_CHECK_EQUAL(number(read({"max-age=60, max-age=x"}).max_age), 0);
}

CAF_TEST(large numbers are the largest one) {
  CAF_CHECK_EQUAL(number(read({"max-age=2147483648"}).max_age), 2147483648);
  CAF_CHECK_EQUAL(number(read({"max-age=99999999999999999999999"}).max_age), 2147483648);
  CAF_CHECK_EQUAL(number(read({"max-age=00000000000000000000000000060"}).max_age), 60);
}

CAF_TEST(what a client may say) {
  const auto any = read({"max-stale, min-fresh=5, only-if-cached"});
  CAF_CHECK(any.max_stale_any && any.only_if_cached);
  CAF_CHECK_EQUAL(number(any.min_fresh), 5);
  const auto some = read({"max-stale=7, stale-if-error=9"});
  CAF_CHECK(!some.max_stale_any);
  CAF_CHECK_EQUAL(number(some.max_stale), 7);
  CAF_CHECK_EQUAL(number(some.stale_if_error), 9);
}

CAF_TEST(others are skipped) {
  const auto seen = read({"immutable, x=\"a, no-store\", , no-transform, maxage=5"});
  CAF_CHECK(seen.present && !seen.no_store && !seen.max_age);
}

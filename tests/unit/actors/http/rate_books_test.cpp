#define CAF_SUITE rate_books
#include "actors/http/rate_books.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};

rate_rule rule(double rate, double burst) {
  rate_rule result;
  result.per_second = rate;
  result.burst = burst;
  return result;
}

size_t admitted(rate_books& books, const std::string& route, const rate_rule& which,
                std::string_view key, steady::time_point now) {
  size_t result = 0;
  while (result < 1000 && books.admit(route, which, key, now).allowed)
    ++result;
  return result;
}

} // namespace

CAF_TEST(routes and keys have buckets of their own) {
  rate_books books;
  const auto ten = rule(10, 5);
  CAF_CHECK_EQUAL(admitted(books, "a", ten, "x", start), 5u);
  CAF_CHECK_EQUAL(admitted(books, "a", ten, "y", start), 5u);
  CAF_CHECK_EQUAL(admitted(books, "b", ten, "x", start), 5u);
  CAF_CHECK_EQUAL(admitted(books, "a", ten, "x", start + 100ms), 1u);
}

CAF_TEST(a rate is divided among loops) {
  rate_books books{2};
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 10), "x", start), 5u);
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 10), "x", start + 1s), 5u);
}

CAF_TEST(another instance takes its part of the rate and gives it back) {
  rate_books books;
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 10), "x", start), 10u);
  books.set_shares(2);
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 10), "x", start + 2s), 5u);
  CAF_CHECK_EQUAL(admitted(books, "b", rule(10, 10), "x", start + 2s), 5u);
  books.set_shares(1);
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 10), "x", start + 4s), 10u);
}

CAF_TEST(a route keeps its bucket until its rule changes) {
  rate_books books;
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 5), "x", start), 5u);
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 5), "x", start), 0u);
  CAF_CHECK_EQUAL(admitted(books, "a", rule(10, 6), "x", start), 6u);
}

CAF_TEST(the key is what the rule says) {
  field_list fields;
  const std::string long_value(65, 'k');
  fields.push_back({"X-Key", "abc"});
  fields.push_back({"X-Long", long_value});
  auto which = rule(1, 1);
  CAF_CHECK_EQUAL(rate_key(which, "192.0.2.1", fields), "192.0.2.1");
  CAF_CHECK_EQUAL(rate_key(which, "2001:db8::1", fields), "2001:db8::/64");
  which.key = rate_key_kind::route;
  CAF_CHECK_EQUAL(rate_key(which, "192.0.2.1", fields), "");
  which.key = rate_key_kind::header;
  which.header = "x-key";
  CAF_CHECK_EQUAL(rate_key(which, "192.0.2.1", fields), "abc");
  which.header = "x-none";
  CAF_CHECK_EQUAL(rate_key(which, "192.0.2.1", fields), "");
  which.header = "x-long";
  CAF_CHECK(rate_key(which, "192.0.2.1", fields).size() < 30);
}

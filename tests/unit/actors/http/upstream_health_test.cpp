#define CAF_SUITE upstream_health
#include "actors/http/upstream_health.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

/// What each of the results changes: '-' nothing, 'D' down, 'U' up.
std::string changes(std::string_view results, size_t rise, size_t fall) {
  upstream_health rules;
  rules.rise = rise;
  rules.fall = fall;
  health_counter counter{rules};
  std::string seen;
  for (const auto c : results) {
    const auto change = counter.note(c == '+' ? server_verdict::good : server_verdict::bad);
    seen += !change ? '-' : *change == server_health::down ? 'D' : 'U';
  }
  return seen;
}

} // namespace

CAF_TEST(bad checks in a row take a server down and good ones bring it back) {
  CAF_CHECK_EQUAL(changes("++---++++", 2, 3), "----D-U--");
  CAF_CHECK_EQUAL(changes("-+", 1, 1), "DU");
}

CAF_TEST(only a row counts) {
  CAF_CHECK_EQUAL(changes("--+--+---", 2, 3), "--------D");
  CAF_CHECK_EQUAL(changes("---+-+-++", 2, 3), "--D-----U");
}

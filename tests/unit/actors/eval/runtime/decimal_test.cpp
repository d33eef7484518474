#define CAF_SUITE decimal
#include "caf_app/eval/decimal.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

CAF_TEST(an integer has neither point nor exponent) {
  for (auto text : {"0", "-12", "123456789012345678901234567890"})
    CAF_CHECK(is_integer_text(text));
  for (auto text : {"1.0", "1e2", "1E2", "-0.5"})
    CAF_CHECK(!is_integer_text(text));
}

CAF_TEST(a decimal is 0.digits times a power of ten) {
  CAF_CHECK(decimal_of("-120.50") == (decimal{true, "1205", 3}));
  CAF_CHECK(decimal_of("0.0012e1") == (decimal{false, "12", -1}));
  CAF_CHECK(decimal_of("5E+3") == (decimal{false, "5", 4}));
  CAF_CHECK(decimal_of("-0.00e7") == decimal{});
}

CAF_TEST(exponents beyond all bounds neither overflow nor equal small ones) {
  const std::string large = "1e" + std::string(40, '9');
  CAF_CHECK(!(decimal_of(large) == decimal_of("1e9")));
  CAF_CHECK(decimal_of("1e-" + std::string(40, '9')).exponent < -1'000'000);
  CAF_CHECK(decimal_of("1e0000000000000000000000000005") == decimal_of("100000"));
}

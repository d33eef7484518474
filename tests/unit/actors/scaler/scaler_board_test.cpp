#define CAF_SUITE scaler_board
#include "actors/scaler/scaler_board.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;
using namespace caf_app::scaler;

CAF_TEST(a pin is within the bounds and survives) {
  scaler_board testee{scaler_options{}, 3};
  CAF_CHECK(!testee.pinned());
  for (size_t bad : {0, 4})
    CAF_CHECK(code_of(testee.pin(bad)) == errc::invalid_argument);
  for (size_t good : {1, 3}) {
    CAF_CHECK(!testee.pin(good));
    CAF_CHECK(testee.pinned() == std::optional<size_t>{good});
  }
  testee.configure(scaler_options{}, 2);
  CAF_CHECK(testee.pinned() == std::optional<size_t>{2});
  CAF_CHECK(!testee.pin(std::nullopt));
  CAF_CHECK(!testee.pinned());
}

CAF_TEST(decisions are an array of the last lines) {
  scaler_board testee{scaler_options{}, 3};
  CAF_CHECK_EQUAL(testee.decisions(), "[]");
  testee.show("{\"a\":1}", {"{}", "7"});
  CAF_CHECK_EQUAL(testee.decisions(), "[{},7]");
  CAF_CHECK_EQUAL(testee.state(), "{\"a\":1}");
  for (size_t i = 0; i < decision_log::lines_max; ++i)
    testee.show("{}", {"8"});
  CAF_CHECK_EQUAL(testee.decisions().find('7'), std::string::npos);
}

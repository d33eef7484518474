#define CAF_SUITE decision_log
#include "actors/scaler/decision_log.hpp"

#include <boost/json.hpp>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};
const wall::time_point day{1735732800200ms}; // 2025-01-01T12:00:00.200Z

decision holding(verdict what, reason why) {
  decision result;
  result.from = result.wanted = 1;
  result.inputs.what = what;
  result.why = result.inputs.why = why;
  return result;
}

decision growing() {
  auto result = holding(verdict::web_bound, reason::loop_busy);
  result.what = action::grow;
  result.wanted = 2;
  result.applied = true;
  result.inputs.n = 1;
  result.inputs.u = result.inputs.u_max = 0.97123456;
  result.inputs.rps = 41800.4;
  result.inputs.missing = {"edge-1.2"};
  return result;
}

} // namespace

CAF_TEST(a line has what a reader needs) {
  decision_log testee{"web/edge-1", 30s};
  const auto line = testee.note(growing(), start, day);
  CAF_REQUIRE(line);
  const auto value = boost::json::parse(*line);
  const auto text = [&](const char* key) { return std::string{value.at(key).as_string()}; };
  CAF_CHECK_EQUAL(text("at"), "2025-01-01T12:00:00.200Z");
  CAF_CHECK_EQUAL(text("target"), "web/edge-1");
  CAF_CHECK_EQUAL(text("action"), "grow");
  CAF_CHECK_EQUAL(text("verdict"), "web_bound");
  CAF_CHECK_EQUAL(text("reason"), "loop_busy");
  CAF_CHECK_EQUAL(value.at("seq").to_number<int>(), 1);
  CAF_CHECK_EQUAL(value.at("from").to_number<int>(), 1);
  CAF_CHECK_EQUAL(value.at("to").to_number<int>(), 2);
  CAF_CHECK(value.at("applied").as_bool());
  CAF_CHECK(value.at("held_by").is_null());
  const auto& inputs = value.at("inputs");
  CAF_CHECK_EQUAL(inputs.at("u").to_number<double>(), 0.9712);
  CAF_CHECK_EQUAL(inputs.at("rps").to_number<double>(), 41800);
  CAF_CHECK(inputs.at("idle_cores").is_null());
  CAF_CHECK_EQUAL(inputs.at("missing").as_array().size(), 1u);
}

CAF_TEST(nothing new is written once per period) {
  decision_log testee{"web/n", 30s};
  const auto quiet = holding(verdict::in_band, reason::between_thresholds);
  CAF_CHECK(testee.note(quiet, start, day));
  CAF_CHECK(!testee.note(quiet, start + 1s, day));
  CAF_CHECK(!testee.note(quiet, start + 30s - 1ns, day));
  CAF_CHECK(testee.note(quiet, start + 30s, day));
  CAF_CHECK(!testee.note(quiet, start + 31s, day));
}

CAF_TEST(each action and each change of verdict or reason is news) {
  decision_log testee{"web/n", 30s};
  CAF_CHECK(testee.note(holding(verdict::in_band, reason::between_thresholds), start, day));
  CAF_CHECK(testee.note(holding(verdict::idle, reason::low_load), start, day));
  CAF_CHECK(testee.note(holding(verdict::unknown, reason::samples_missing), start, day));
  CAF_CHECK(testee.note(holding(verdict::unknown, reason::samples_stale), start, day));
  CAF_CHECK(testee.note(growing(), start, day));
  CAF_CHECK(testee.note(growing(), start, day));
}

CAF_TEST(a dry run says the same thing once per period) {
  decision_log testee{"web/n", 30s};
  auto dry = growing();
  dry.applied = false;
  CAF_CHECK(testee.note(dry, start, day));
  CAF_CHECK(!testee.note(dry, start + 1s, day));
}

CAF_TEST(the last thousand lines are kept) {
  decision_log testee{"web/n", 30s};
  for (size_t i = 0; i < decision_log::lines_max + 1; ++i)
    testee.note(growing(), start, day);
  CAF_CHECK_EQUAL(testee.lines().size(), decision_log::lines_max);
  CAF_CHECK(testee.lines().front().find("\"seq\":2,") != std::string::npos);
}

#define CAF_SUITE conditional
#include "actors/http/conditional.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::chrono_literals;
using std::chrono::sys_seconds;

namespace {

const sys_seconds now{1'000'000s};
const sys_seconds written = now - 100s;
const validators current{"\"a\"", written};

precondition_result get(const preconditions& asked, const validators& found = current) {
  return evaluate(asked, found, method::get, now);
}

precondition_result put(const preconditions& asked) {
  return evaluate(asked, current, method::put, now);
}

constexpr auto proceed = precondition_result::proceed;
constexpr auto not_modified = precondition_result::not_modified;
constexpr auto failed = precondition_result::failed;

preconditions if_match(std::string_view value) { return {value, {}, {}, {}}; }
preconditions if_none_match(std::string_view value) { return {{}, value, {}, {}}; }
preconditions if_modified_since(sys_seconds value) { return {{}, {}, value, {}}; }
preconditions if_unmodified_since(sys_seconds value) { return {{}, {}, {}, value}; }

} // namespace

CAF_TEST(a request without conditions proceeds) {
  CAF_CHECK(get({}) == proceed);
  CAF_CHECK(put({}) == proceed);
}

CAF_TEST(If - Match compares strongly) {
  CAF_CHECK(get(if_match("\"a\"")) == proceed);
  CAF_CHECK(get(if_match("\"b\", \"a\"")) == proceed);
  CAF_CHECK(get(if_match("*")) == proceed);
  CAF_CHECK(get(if_match("W/\"a\"")) == failed);
  CAF_CHECK(get(if_match("\"b\"")) == failed);
  CAF_CHECK(get(if_match("")) == failed);
  CAF_CHECK(get(if_match("a")) == failed);
  CAF_CHECK(get(if_match("\"a\""), {"W/\"a\"", written}) == failed);
  CAF_CHECK(get(if_match("\"a\""), {"", written}) == failed);
}

CAF_TEST(If-Unmodified-Since fails for what was written later) {
  CAF_CHECK(get(if_unmodified_since(written)) == proceed);
  CAF_CHECK(get(if_unmodified_since(written + 1s)) == proceed);
  CAF_CHECK(get(if_unmodified_since(written - 1s)) == failed);
  CAF_CHECK(get(if_unmodified_since(written - 1s), {"\"a\"", {}}) == proceed);
}

CAF_TEST(If - Match silences If - Unmodified - Since) {
  CAF_CHECK(get({"\"a\"", {}, {}, written - 1s}) == proceed);
}

CAF_TEST(If - None - Match compares weakly) {
  CAF_CHECK(get(if_none_match("\"a\"")) == not_modified);
  CAF_CHECK(get(if_none_match("W/\"a\"")) == not_modified);
  CAF_CHECK(get(if_none_match("\"b\", \"a\"")) == not_modified);
  CAF_CHECK(get(if_none_match("*")) == not_modified);
  CAF_CHECK(get(if_none_match("\"b\"")) == proceed);
  CAF_CHECK(get(if_none_match("")) == proceed);
  CAF_CHECK(get(if_none_match("a")) == proceed);
  CAF_CHECK(put(if_none_match("\"a\"")) == failed);
  CAF_CHECK(put(if_none_match("*")) == failed);
  CAF_CHECK(put(if_none_match("\"b\"")) == proceed);
}

CAF_TEST(If-Modified-Since counts for reads and up to our clock) {
  CAF_CHECK(get(if_modified_since(written)) == not_modified);
  CAF_CHECK(get(if_modified_since(written + 1s)) == not_modified);
  CAF_CHECK(get(if_modified_since(now)) == not_modified);
  CAF_CHECK(get(if_modified_since(now + 1s)) == proceed);
  CAF_CHECK(get(if_modified_since(written - 1s)) == proceed);
  CAF_CHECK(get(if_modified_since(written), {"\"a\"", {}}) == proceed);
  CAF_CHECK(put(if_modified_since(written)) == proceed);
}

CAF_TEST(If - None - Match silences If - Modified - Since) {
  CAF_CHECK(get({{}, "\"b\"", written, {}}) == proceed);
  CAF_CHECK(get({{}, "\"a\"", written - 1s, {}}) == not_modified);
}

CAF_TEST(a failed first step ends the evaluation) {
  CAF_CHECK(get({"\"b\"", "\"a\"", {}, {}}) == failed);
  CAF_CHECK(get({{}, "\"a\"", {}, written - 1s}) == failed);
  CAF_CHECK(get({"\"a\"", "\"a\"", {}, {}}) == not_modified);
}

CAF_TEST(If - Range wants the strong tag or the exact date of an old enough file) {
  CAF_CHECK(if_range_holds("\"a\"", {}, current, now));
  CAF_CHECK(!if_range_holds("W/\"a\"", {}, current, now));
  CAF_CHECK(!if_range_holds("\"b\"", {}, current, now));
  CAF_CHECK(!if_range_holds("\"a\", \"b\"", {}, current, now));
  CAF_CHECK(!if_range_holds("*", {}, current, now));
  CAF_CHECK(!if_range_holds("\"a\"", {}, {"W/\"a\"", written}, now));
  CAF_CHECK(!if_range_holds("", {}, {"", written}, now));
  CAF_CHECK(if_range_holds("", written, current, now));
  CAF_CHECK(!if_range_holds("", written + 1s, current, now));
  CAF_CHECK(!if_range_holds("", written - 1s, current, now));
  CAF_CHECK(if_range_holds("", now - 1s, {"\"a\"", now - 1s}, now));
  CAF_CHECK(!if_range_holds("", now, {"\"a\"", now}, now));
}

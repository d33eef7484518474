#define CAF_SUITE build_list
#include "actors/eval/build_list.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::eval;

namespace {

eval_reply reply(uint16_t status, std::string body) {
  eval_reply result;
  result.status = status;
  result.body = std::move(body);
  return result;
}

std::string build(const char* id, const char* state, int created) {
  return std::string{R"({"id":")"} + id + R"(","state":")" + state + R"(","createdAt":)" +
         std::to_string(created) + "}";
}

std::string list(std::initializer_list<std::string> builds) {
  std::string result = R"({"builds":[)";
  for (auto& one : builds)
    result += (result.ends_with('[') ? "" : ",") + one;
  return result + "]}";
}

} // namespace

CAF_TEST(lists become one in the order of time) {
  const auto merged =
      merge_lists({reply(200, list({build("b", "ready", 5)})),
                   reply(200, list({build("a", "failed", 3), build("c", "ready", 7)}))});
  CAF_CHECK_EQUAL(merged.status, 200);
  CAF_CHECK_EQUAL(merged.body,
                  list({build("a", "failed", 3), build("b", "ready", 5), build("c", "ready", 7)}));
}

CAF_TEST(a build that is ready somewhere is ready) {
  for (auto& order : {std::vector{"failed", "ready"}, std::vector{"ready", "failed"}}) {
    const auto merged = merge_lists(
        {reply(200, list({build("a", order[0], 1)})), reply(200, list({build("a", order[1], 2)}))});
    CAF_CHECK(merged.body.find(R"("state":"ready")") != std::string::npos);
    CAF_CHECK(merged.body.find("failed") == std::string::npos);
  }
}

CAF_TEST(what is no list is left out) {
  const auto merged = merge_lists({reply(503, R"({"error":"x"})"), reply(200, "nonsense"),
                                   reply(200, list({build("a", "ready", 1)}))});
  CAF_CHECK_EQUAL(merged.body, list({build("a", "ready", 1)}));
  CAF_CHECK_EQUAL(merge_lists({}).body, list({}));
}

CAF_TEST(replies about one build are ranked) {
  const auto ready = reply(200, build("a", "ready", 1));
  const auto building = reply(200, build("a", "building", 1));
  const auto conflict = reply(409, "{}");
  const auto missing = reply(404, "{}");
  CAF_CHECK(is_better(ready, building));
  CAF_CHECK(is_better(building, conflict));
  CAF_CHECK(is_better(conflict, missing));
  CAF_CHECK(!is_better(missing, missing));
  CAF_CHECK(!is_better(building, ready));
}

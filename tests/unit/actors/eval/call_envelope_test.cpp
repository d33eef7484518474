#define CAF_SUITE call_envelope
#include "actors/eval/call_envelope.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

call_envelope good(std::string_view body) {
  auto result = read_envelope(body);
  if (auto why = std::get_if<std::string>(&result))
    CAF_FAIL(*why);
  return std::get<call_envelope>(std::move(result));
}

std::string bad(std::string_view body) {
  auto result = read_envelope(body);
  auto why = std::get_if<std::string>(&result);
  return why ? *why : "fine";
}

} // namespace

CAF_TEST(bodies without binding act for nobody) {
  for (auto body :
       {"", "{}", "[]", "1", "{\"input\":1}", "{\"binding\":null}", "{\"bin", "{\"a\":"}) {
    const auto got = good(body);
    CAF_CHECK_EQUAL(got.organisation, "");
    CAF_CHECK_EQUAL(got.identity, "null");
    CAF_CHECK(got.effects.empty());
  }
}

CAF_TEST(a binding is found wherever it stands) {
  const std::string binding = R"("binding":{"user_id":"u-1","org_id":"o_1","graph_id":"g"})";
  const std::string heavy = R"("input":{"binding":{"org_id":"no"},"x":"a\"}],{\\","y":[[{}]]})";
  for (auto& body : {"{" + binding + "}", "{ " + heavy + " , " + binding + " }",
                     "{" + binding + "," + heavy + "}"}) {
    const auto got = good(body);
    CAF_CHECK_EQUAL(got.organisation, "o_1");
    CAF_CHECK_EQUAL(got.user, "u-1");
    CAF_CHECK_EQUAL(got.graph_id, "g");
    CAF_CHECK_EQUAL(got.identity, R"({"org_id":"o_1","user_id":"u-1","graph_id":"g"})");
  }
}

CAF_TEST(an escaped name is the same name) {
  CAF_CHECK_EQUAL(good(R"({"b\u0069nding":{"org_id":"o","user_id":"u"}})").organisation, "o");
}

CAF_TEST(members of a binding are checked) {
  CAF_CHECK_EQUAL(bad(R"({"binding":1})"), "binding: expected an object, found a number");
  const char* const expected = ": expected letters, digits, - and _";
  CAF_CHECK_EQUAL(bad(R"({"binding":{}})"), std::string{"binding.org_id"} + expected);
  CAF_CHECK_EQUAL(bad(R"({"binding":{"org_id":"o"}})"), std::string{"binding.user_id"} + expected);
  for (auto name : {R"("")", R"("a b")", R"("../x")", R"("\u00e4")", "1", "null"}) {
    const auto body = std::string{R"({"binding":{"org_id":)"} + name + R"(,"user_id":"u"}})";
    CAF_CHECK_EQUAL(bad(body), std::string{"binding.org_id"} + expected);
  }
}

CAF_TEST(a policy is read in any case) {
  const auto got =
      good(R"({"policy":{"effects":["TRACE","filesystem","Http"],"domains":["A.example"]},
                            "binding":{"org_id":"o","user_id":"u"}})");
  CAF_CHECK_EQUAL(got.effects, (std::vector<std::string>{"trace", "filesystem", "http"}));
  CAF_CHECK_EQUAL(got.domains, std::vector<std::string>{"a.example"});
}

CAF_TEST(a malformed policy is refused) {
  CAF_CHECK_EQUAL(bad(R"({"policy":null})"), "policy: expected an object, found null");
  CAF_CHECK_EQUAL(bad(R"({"policy":{}})"), "policy: needs a binding beside it");
  const auto with_policy = [](const char* policy) {
    return bad(std::string{R"({"binding":{"org_id":"o","user_id":"u"},"policy":)"} + policy + "}");
  };
  CAF_CHECK_EQUAL(with_policy(R"({"effects":"Trace"})"),
                  "policy.effects: expected an array of strings");
  CAF_CHECK_EQUAL(with_policy(R"({"effects":[1]})"),
                  "policy.effects: expected an array of strings");
  CAF_CHECK(with_policy(R"({"effects":["Exec"]})").find("\"exec\" is none of") !=
            std::string::npos);
  CAF_CHECK_EQUAL(with_policy(R"({"domains":{}})"), "policy.domains: expected an array of strings");
  CAF_CHECK_EQUAL(with_policy("{}"), "fine");
}

CAF_TEST(the number of domains is limited) {
  for (size_t count : {255u, 256u, 257u}) {
    std::string domains;
    for (size_t i = 0; i < count; ++i)
      domains += (i > 0 ? "," : "") + std::string{"\"d\""};
    const auto why =
        bad(R"({"binding":{"org_id":"o","user_id":"u"},"policy":{"domains":[)" + domains + "]}}");
    CAF_CHECK_EQUAL(why == "fine", count <= 256);
  }
}

CAF_TEST(every prefix of a body is harmless) {
  const std::string body =
      R"({"a":[1,{"b":"\\\""}],"binding":{"org_id":"o","user_id":"u"},"policy":{"effects":["HTTP"]}})";
  for (size_t size = 0; size <= body.size(); ++size)
    read_envelope(std::string_view{body}.substr(0, size));
  CAF_CHECK_EQUAL(find_member(body, "a"), R"([1,{"b":"\\\""}])");
  CAF_CHECK_EQUAL(find_member(body, "none"), "");
}

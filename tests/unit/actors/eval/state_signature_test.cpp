#define CAF_SUITE state_signature
#include "actors/eval/state_signature.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/eval/digest.hpp"
#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

const std::string key = "a key";

std::string check(const std::string& body) { return check_state(body, key).value_or("fine"); }

} // namespace

CAF_TEST(a signed state is accepted however its members are ordered) {
  std::string reply =
      R"({"state":{"now":1,"build":"b","outcomes":[{"output":12345678901234567890}]},"nodes":[]})";
  sign_state(reply, key);
  const auto mac =
      hmac_sha256_hex(key, R"({"build":"b","now":1,"outcomes":[{"output":12345678901234567890}]})");
  CAF_CHECK_EQUAL(
      reply,
      R"({"state":{"now":1,"build":"b","outcomes":[{"output":12345678901234567890}],"mac":")" +
          mac + R"("},"nodes":[]})");
  CAF_CHECK_EQUAL(check(reply), "fine");
  CAF_CHECK_EQUAL(
      check(R"({"inputs":{},"state": { "mac":")" + mac +
            R"(", "outcomes":[{"output":12345678901234567890}], "now":1,"build":"b"}})"),
      "fine");
}

CAF_TEST(every changed byte of a state is noticed) {
  std::string reply = R"({"state":{"a":[10,20],"b":"text"}})";
  sign_state(reply, key);
  const auto state = reply.substr(9, reply.size() - 10);
  size_t objects = 0;
  for (size_t i = 0; i < state.size(); ++i) {
    auto changed = state;
    changed[i] = changed[i] == '7' ? '8' : '7';
    const auto value = read_json(changed);
    const auto* parsed = std::get_if<json>(&value);
    if (!parsed || !parsed->if_object())
      continue; // the driver's to refuse
    ++objects;
    CAF_CHECK_EQUAL(check(R"({"state":)" + changed + "}") == "fine" ? changed : "refused",
                    "refused");
  }
  CAF_CHECK(objects > 60);
}

CAF_TEST(a missing signature and another key are noticed) {
  CAF_CHECK_EQUAL(check(R"({"state":{"a":1}})"), "state: its signature is missing");
  CAF_CHECK_EQUAL(check(R"({"state":{"a":1,"mac":5}})"), "state: its signature is missing");
  std::string reply = R"({"state":{"a":1}})";
  sign_state(reply, "another");
  CAF_CHECK_EQUAL(check(reply), "state: its signature does not match");
}

CAF_TEST(bodies without a state have nothing to check) {
  for (auto body : {"", "{}", R"({"state":null})", R"({"state":[]})", R"({"state":{"a":)", "[1]"})
    CAF_CHECK_EQUAL(check(body), "fine");
  std::string error = R"({"error":"x"})";
  sign_state(error, key);
  CAF_CHECK_EQUAL(error, R"({"error":"x"})");
}

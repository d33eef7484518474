#define CAF_SUITE json
#include "caf_app/eval/json.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

#include "support/throws.hpp"

using namespace caf_app::eval;

namespace {

bool equal(std::string_view a, std::string_view b) {
  return std::get<json>(read_json(a)) == std::get<json>(read_json(b));
}

} // namespace

CAF_TEST(numbers are equal if they are the same decimal) {
  for (auto [a, b] : {std::pair{"0", "-0.0"},
                      {"1", "1.0"},
                      {"100", "1e2"},
                      {"0.10", "1E-1"},
                      {"-5", "-5.000"},
                      {"0e9", "0"},
                      {"12000", "12e3"}})
    CAF_CHECK(equal(a, b));
  for (auto [a, b] : {std::pair{"1", "-1"},
                      {"1", "10"},
                      {"9007199254740993", "9007199254740992"},
                      {"0.1", "0.10000000000000001"},
                      {"1e400", "1e401"}})
    CAF_CHECK(!equal(a, b));
}

CAF_TEST(the order of members does not matter and that of items does) {
  CAF_CHECK(equal(R"({"a":1,"b":[1,2]})", R"({"b":[1,2],"a":1.0})"));
  CAF_CHECK(!equal("[1,2]", "[2,1]"));
  CAF_CHECK(!equal(R"({"a":1})", R"({"a":1,"b":null})"));
  CAF_CHECK(!equal(R"({"a":1,"b":1})", R"({"a":1,"c":1})"));
}

CAF_TEST(large objects compare like small ones) {
  json a;
  json b;
  for (int i = 0; i < 100; ++i) {
    a.add("m" + std::to_string(i), i);
    b.add("m" + std::to_string(99 - i), 99 - i);
  }
  CAF_CHECK(a == b);
  b.add("more", 1);
  a.add("other", 1);
  CAF_CHECK(!(a == b));
}

CAF_TEST(values of different types differ) {
  const std::string_view texts[] = {"null", "false", "0", "\"\"", "[]", "{}"};
  for (auto a : texts)
    for (auto b : texts)
      CAF_CHECK_EQUAL(equal(a, b), a == b);
}

CAF_TEST(a double that JSON cannot write is refused) {
  CAF_CHECK(throws<std::domain_error>([&] { return json{1.0 / 0.0}; }));
}

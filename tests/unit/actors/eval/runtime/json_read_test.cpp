#define CAF_SUITE json_read
#include "caf_app/eval/json_text.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::eval;

namespace {

json value_of(std::string_view text) {
  auto result = read_json(text);
  if (auto fault = std::get_if<json_fault>(&result))
    CAF_FAIL("no JSON: " << std::string{text} << ": " << fault->text);
  return std::get<json>(std::move(result));
}

bool refused(std::string_view text) { return std::holds_alternative<json_fault>(read_json(text)); }

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

} // namespace

CAF_TEST(numbers keep their text however large or precise) {
  for (auto text : {"0", "-0", "1606938044258990275541962092341162602522202993782792835301376",
                    "0.10", "1e400", "-12.5E-3", "123456789012345678901234567890.5"})
    CAF_CHECK_EQUAL(to_text(value_of(text)), text);
}

CAF_TEST(members keep their order) {
  CAF_CHECK_EQUAL(to_text(value_of(R"({"b":1,"a":[true,null],"":""})")),
                  R"({"b":1,"a":[true,null],"":""})");
}

CAF_TEST(canonical text sorts members at every level) {
  CAF_CHECK_EQUAL(canonical_text(value_of(R"({"b":{"z":1,"a":2},"a":[{"d":1,"c":2}]})")),
                  R"({"a":[{"c":2,"d":1}],"b":{"a":2,"z":1}})");
}

CAF_TEST(duplicate members are refused at any level) {
  CAF_CHECK(refused(R"({"a":1,"a":1})"));
  CAF_CHECK(refused(R"([{"x":{"a":1,"b":2,"a":3}}])"));
  CAF_CHECK(refused(R"({"a":1,"\u0061":1})"));
  std::string many = "{";
  for (int i = 0; i < 40; ++i)
    many += "\"m" + std::to_string(i) + "\":0,";
  CAF_CHECK(!refused(many + "\"last\":0}"));
  CAF_CHECK(refused(many + "\"m7\":0}"));
}

CAF_TEST(the fault names the duplicate member) {
  auto result = read_json(R"({"a":{"size":1,"size":2}})");
  CAF_REQUIRE(std::holds_alternative<json_fault>(result));
  CAF_CHECK_EQUAL(std::get<json_fault>(result).text, "duplicate member \"size\"");
}

CAF_TEST(nesting is limited to 128 levels) {
  CAF_CHECK(!refused(nested(127)));
  CAF_CHECK(!refused(nested(128)));
  CAF_CHECK(refused(nested(129)));
  CAF_CHECK_EQUAL(value_of(nested(128)).depth(), 128u);
  CAF_CHECK_EQUAL(value_of("5").depth(), 0u);
}

CAF_TEST(lone surrogates are refused and pairs are read) {
  for (auto text :
       {R"("\ud800")", R"("\udc00")", R"("\ud800x")", R"("\ud800\ud800")", "\"\xED\xA0\x80\""})
    CAF_CHECK(refused(text));
  CAF_CHECK_EQUAL(*value_of(R"("\ud83d\ude00")").if_string(), "\xF0\x9F\x98\x80");
}

CAF_TEST(bytes that are no UTF - 8 are refused) {
  for (auto text : {"\"\xFF\"", "\"\xC0\x80\"", "\"\xE2\x82\"", "\"\xF5\x80\x80\x80\""})
    CAF_CHECK(refused(text));
}

CAF_TEST(what is no JSON is refused) {
  for (auto text : {"", " ", "[1,]", "{\"a\":}", "01", "+1", ".5", "5.", "1e", "nul", "'a'",
                    "[1] 2", "{a:1}", "NaN", "Infinity", "[1 // c\n]", "\"\n\"", "\"\\x\""})
    CAF_CHECK(refused(text));
}

CAF_TEST(strings are escaped so that they read back) {
  const std::string text = std::string{"a\"\\/\b\f\n\r\t\x01\x7F"} + '\0' + "\xC3\xA9";
  CAF_CHECK_EQUAL(*value_of(to_text(json{text})).if_string(), text);
}

CAF_TEST(any cut of a text is refused or another value) {
  const std::string text = R"({"a":[1,2.5,"x\u00e9",{"b":null}],"c":true})";
  for (size_t cut = 0; cut < text.size(); ++cut)
    CAF_CHECK(refused(text.substr(0, cut)));
}

CAF_TEST(bytes changed at random never crash and what reads writes back equal) {
  std::mt19937 random{test_seed()};
  const std::string text = R"({"a":[1,2.5e3,"x\ud83d\ude00",{"b":null,"c":-0}],"d":true})";
  for (int round = 0; round < 20'000; ++round) {
    auto changed = text;
    for (auto n = random() % 3 + 1; n > 0; --n)
      changed[random() % changed.size()] = static_cast<char>(random() % 256);
    auto result = read_json(changed);
    if (auto value = std::get_if<json>(&result))
      CAF_REQUIRE(value_of(to_text(*value)) == *value);
  }
}

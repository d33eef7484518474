#define CAF_SUITE signature
#include "actors/eval/signature.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::eval;

namespace {

signature good(std::string_view text) {
  auto result = parse_signature(text);
  if (auto fault = std::get_if<text_fault>(&result))
    CAF_FAIL("refused: " << std::string{text} << ": " << fault->text);
  return std::get<signature>(std::move(result));
}

std::string fault_of(std::string_view text) {
  auto result = parse_signature(text);
  auto fault = std::get_if<text_fault>(&result);
  return fault ? std::to_string(fault->place.column) + ": " + fault->text : "none";
}

} // namespace

CAF_TEST(blanks do not matter) {
  CAF_CHECK_EQUAL(good(" nat ( nat ,\tstd :: vector < std::string > ) ").text(),
                  "nat(nat,std::vector<std::string>)");
}

CAF_TEST(built - in names are qualified in generated code and project types are global) {
  CAF_CHECK_EQUAL(good("json(geo::point, std::map<std::string, std::optional<double>>)").cpp(),
                  "::caf_app::eval::json(::geo::point,::std::map<::std::string,"
                  "::std::optional<double>>)");
}

CAF_TEST(our own namespace and the short name of int64_t are understood) {
  CAF_CHECK_EQUAL(good("caf_app::eval::nat(::caf_app::eval::unit, int64_t)").text(),
                  "nat(unit,std::int64_t)");
}

CAF_TEST(effects are the first parameter and no argument) {
  auto s = good("outcome<nat>(effects<error, trace>&, nat)");
  CAF_CHECK(s.result == signature::result_kind::outcome);
  CAF_CHECK(s.takes_effects);
  CAF_CHECK(s.effects == (std::vector<std::string>{"error", "trace"}));
  CAF_CHECK_EQUAL(s.arguments.size(), 1u);
  CAF_CHECK_EQUAL(s.value.text(), "nat");
  CAF_CHECK_EQUAL(s.text(), "outcome<nat>(effects<error,trace>&,nat)");
}

CAF_TEST(the clock and continuation of a producer are no arguments) {
  auto s = good("produced<nat, cursor>(nat, clock_ms, std::optional<cursor>)");
  CAF_CHECK(s.is_producer());
  CAF_CHECK_EQUAL(s.arguments.size(), 1u);
  CAF_CHECK_EQUAL(s.continuation->text(), "cursor");
  CAF_CHECK_EQUAL(s.text(), "produced<nat,cursor>(nat,clock_ms,std::optional<cursor>)");
  CAF_CHECK(s.project_types() == std::set<std::string>{"cursor"});
  CAF_CHECK_EQUAL(good("produced<nat,unit>(clock_ms,std::optional<unit>)").arguments.size(), 0u);
}

CAF_TEST(a function without arguments is fine) {
  CAF_CHECK_EQUAL(good("std::string()").arguments.size(), 0u);
}

CAF_TEST(faults name their column) {
  CAF_CHECK_EQUAL(fault_of("nat(const nat&)"), "5: values cross by value: leave 'const' out");
  CAF_CHECK_EQUAL(fault_of("nat(nat&)"), "8: values cross by value: leave '&' out");
  CAF_CHECK_EQUAL(fault_of("nat(int)"), "5: expected a type, got 'int'");
  CAF_CHECK_EQUAL(fault_of("nat nat)"), "5: expected '(', got 'nat'");
  CAF_CHECK_EQUAL(fault_of("nat(nat"), "8: expected ',', got the end");
  CAF_CHECK_EQUAL(fault_of("nat(nat) x"), "10: expected the end of the signature, got 'x'");
  CAF_CHECK_EQUAL(fault_of("nat(nat, effects<trace>&)"), "10: effects are the first parameter");
  CAF_CHECK_EQUAL(fault_of("nat(effects<disk>&)"),
                  "13: unknown effect 'disk': there are trace, error, http and files");
  CAF_CHECK_EQUAL(fault_of("nat(std::map<nat, nat>)"),
                  "5: the keys of a map that crosses are std::string");
  CAF_CHECK_EQUAL(fault_of("nat(std::set<nat>)"),
                  "5: 'std::set' is no template that crosses: there are std::vector, "
                  "std::optional and std::map");
  CAF_CHECK_EQUAL(fault_of("nat(std::size_t)"), "5: 'std::size_t' does not cross");
  CAF_CHECK_EQUAL(fault_of("nat(clock_ms)"), "5: only a producer takes clock_ms");
  CAF_CHECK_EQUAL(fault_of("produced<nat,unit>(nat)"),
                  "23: the last parameters of a producer are clock_ms and std::optional<unit>");
  CAF_CHECK_EQUAL(fault_of("nat(outcome<nat>)"), "5: 'outcome' is no template that crosses: there "
                                                 "are std::vector, std::optional and std::map");
}

CAF_TEST(length is limited and a line end refused) {
  const auto fill = [](size_t size) { return "nat(nat)" + std::string(size - 8, ' '); };
  CAF_CHECK(std::holds_alternative<signature>(parse_signature(fill(signature_bytes_max))));
  CAF_CHECK(std::holds_alternative<text_fault>(parse_signature(fill(signature_bytes_max + 1))));
  CAF_CHECK_EQUAL(fault_of("nat(\nnat)"), "1: a signature is one line");
}

CAF_TEST(nesting is limited) {
  auto nested = [](size_t depth) {
    std::string text = "nat";
    for (size_t i = 0; i < depth; ++i)
      text = "std::vector<" + text + ">";
    return text;
  };
  CAF_CHECK(std::holds_alternative<type_ref>(parse_type(nested(type_depth_max))));
  CAF_CHECK(std::holds_alternative<text_fault>(parse_type(nested(type_depth_max + 1))));
}

CAF_TEST(random bytes never crash and what reads is canonical) {
  std::mt19937 random{test_seed()};
  const std::string text = "outcome<std::map<std::string,a::b>>(effects<error>&,nat,c)";
  for (int round = 0; round < 20'000; ++round) {
    auto changed = text;
    for (auto n = random() % 3 + 1; n > 0; --n)
      changed[random() % changed.size()] = "<>(),:& natx\0\xFF"[random() % 14];
    auto result = parse_signature(changed);
    if (auto s = std::get_if<signature>(&result))
      CAF_REQUIRE_EQUAL(good(s->text()).text(), s->text());
  }
}

#define CAF_SUITE program
#include "actors/eval/program.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::eval;

namespace {

const program_scope scope{{{"math.add", 2}, {"math.neg", 1}, {"now", 0}, {"join3", 3}},
                          {"geo::point"}};

program good(std::string_view text) {
  auto result = parse_program(text, scope);
  if (auto faults = std::get_if<std::vector<text_fault>>(&result))
    CAF_FAIL("refused: " << faults->front().text);
  return std::get<program>(std::move(result));
}

/// All faults as "line:column text", joined by " | ".
std::string faults_of(std::string_view text) {
  auto result = parse_program(text, scope);
  std::string all;
  if (auto faults = std::get_if<std::vector<text_fault>>(&result))
    for (auto& fault : *faults)
      all += (all.empty() ? "" : " | ") + std::to_string(fault.place.line) + ":" +
             std::to_string(fault.place.column) + " " + fault.text;
  return all;
}

/// "input a | math.add(0,1)"
std::string nodes_of(const program& p) {
  std::string all;
  for (auto& node : p.nodes) {
    all += all.empty() ? "" : " | ";
    if (node.is_input()) {
      all += "input " + node.input;
      continue;
    }
    all += node.function + "(";
    for (size_t i = 0; i < node.arguments.size(); ++i)
      all += (i > 0 ? "," : "") + std::to_string(node.arguments[i]);
    all += ")";
  }
  return all;
}

} // namespace

CAF_TEST(nodes are numbered arguments first from left to right) {
  auto p = good("return math::add(math::neg(input<nat>(\"a\")), math::add(now(), "
                "input<nat>(\"b\")));");
  CAF_CHECK_EQUAL(nodes_of(p),
                  "input a | math.neg(0) | now() | input b | math.add(2,3) | math.add(1,4)");
  CAF_CHECK_EQUAL(p.result, 5u);
}

CAF_TEST(a name is no node of its own) {
  auto p = good("auto a = input<nat>(\"a\");\nauto b = a;\nreturn math::add(b, a);");
  CAF_CHECK_EQUAL(nodes_of(p), "input a | math.add(0,0)");
}

CAF_TEST(comments and blanks are skipped also around colons) {
  auto p = good("// sum\nauto/**/a = input < nat > ( \"a\" ) ; /* x */ return math :: neg(a);");
  CAF_CHECK_EQUAL(nodes_of(p), "input a | math.neg(0)");
  CAF_CHECK(p.nodes[1].place == (text_place{2, 52}));
}

CAF_TEST(an application knows where its arguments stand) {
  auto p = good("auto a = input<nat>(\"a\");\nreturn math::add(a,\n  a);");
  CAF_CHECK(p.nodes[1].argument_places[0] == (text_place{2, 18}));
  CAF_CHECK(p.nodes[1].argument_places[1] == (text_place{3, 3}));
}

CAF_TEST(what is not in the language is refused) {
  const std::pair<const char*, const char*> cases[] = {
      {"return 5;", "1:8 unexpected '5'"},
      {"return \"x\";", "1:8 expected an expression, got \"x\""},
      {"return true;", "1:8 'true' is no expression"},
      {"return a;", "1:8 unknown name 'a'"},
      {"int a = now();", "1:1 expected 'auto NAME = EXPR;' or 'return EXPR;', got 'int' | 1:15 the "
                         "program ends without 'return EXPR;'"},
      {"#include <x>\nreturn now();", "1:1 unexpected '#' | 2:14 the program ends without "
                                      "'return EXPR;'"},
      {"return math::sub(now(), now());", "1:8 unknown function 'math::sub'"},
      {"return math::neg();", "1:8 'math::neg' takes 1 argument, got 0"},
      {"return math::add(now());", "1:8 'math::add' takes 2 arguments, got 1"},
      {"return now() + now();", "1:14 unexpected '+'"},
      {"return [](){};", "1:8 unexpected '['"},
      {"return now()", "1:13 expected ';', got the end"},
      {"return now(;", "1:12 expected an expression, got ';'"},
      {"return now(); return now();", "1:15 nothing may follow 'return'"},
      {"", "1:1 the program ends without 'return EXPR;'"},
      {"auto a = now();", "1:16 the program ends without 'return EXPR;'"},
      {"auto class = now();\nreturn now();", "1:6 'class' is no name"},
      {"auto input = now();\nreturn now();", "1:6 'input' is no name"},
      {"auto a = a;\nreturn now();", "1:10 unknown name 'a'"},
      {"return input<nat>(a);", "1:19 expected the input's name in quotes, got 'a'"},
      {"return input<nat>(\"a b\");", "1:19 an input's name is an identifier, got \"a b\""},
      {"return input<int>(\"a\");", "1:14 expected a type, got 'int'"},
      {"return input<other::type>(\"a\");",
       "1:14 no declared signature names the type 'other::type'"},
      {"return now(); /* open", "1:15 nothing may follow 'return'"},
      {"return input<nat>(\"a);", "1:19 a string that does not end"},
      {"return now(now();", "1:17 expected ',', got ';'"},
      {"return math::class(now());", "1:14 'class' is no name"},
  };
  for (auto [text, faults] : cases)
    CAF_CHECK_EQUAL(faults_of(text), faults);
}

CAF_TEST(the first fault of each statement is reported) {
  CAF_CHECK_EQUAL(faults_of("auto a = math::sub(1, 2);\nauto b = math::neg(a, a);\n"
                            "auto b = now();\nreturn c;"),
                  "1:10 unknown function 'math::sub' | 2:10 'math::neg' takes 1 argument, got 2 "
                  "| 3:6 'b' is defined twice | 4:8 unknown name 'c'");
}

CAF_TEST(an input appears once) {
  CAF_CHECK_EQUAL(faults_of("auto a = input<nat>(\"a\");\nreturn math::add(a, "
                            "input<nat>(\"a\"));"),
                  "2:32 input \"a\" appears twice, first in line 1");
}

CAF_TEST(project types that a signature names can be inputs) {
  auto p = good("return input<std::vector<geo::point>>(\"p\");");
  CAF_CHECK_EQUAL(p.nodes[0].type.text(), "std::vector<geo::point>");
}

CAF_TEST(size and nesting are limited) {
  const std::string program = "return now();";
  CAF_CHECK_EQUAL(faults_of(program + std::string(program_bytes_max - program.size(), ' ')), "");
  CAF_CHECK_EQUAL(faults_of(program + std::string(program_bytes_max - program.size() + 1, ' ')),
                  "1:1 longer than 65536 bytes");
  auto nested = [](size_t depth) {
    std::string text = "now()";
    for (size_t i = 0; i < depth; ++i)
      text = "math::neg(" + text + ")";
    return "return " + text + ";";
  };
  CAF_CHECK_EQUAL(faults_of(nested(expression_depth_max)), "");
  CAF_CHECK(faults_of(nested(expression_depth_max + 1)).find("nest deeper") != std::string::npos);
}

CAF_TEST(random tokens never crash and every fault has a place inside the text) {
  std::mt19937 random{test_seed()};
  const std::string_view parts[] = {
      "auto ", "a",  "b",     " = ",       "input", "<nat>",   "(",        ")",
      ";",     ",",  "\"a\"", "math::add", "now",   "return ", "\n",       "//x\n",
      "/*",    "::", "<",     ">",         "5",     "\xFF",    "math::neg"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (auto n = random() % 30; n > 0; --n)
      text += parts[random() % std::size(parts)];
    auto result = parse_program(text, scope);
    if (auto faults = std::get_if<std::vector<text_fault>>(&result)) {
      CAF_REQUIRE(!faults->empty());
      for (auto& fault : *faults)
        CAF_REQUIRE(fault.place.line >= 1 && fault.place.column <= text.size() + 1);
    }
  }
}

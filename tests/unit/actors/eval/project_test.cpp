#define CAF_SUITE project
#include "actors/eval/project.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

declaration with(std::vector<function_declaration> functions,
                 std::vector<graph_declaration> graphs) {
  return {inline_source{}, std::move(functions), std::move(graphs), "public"};
}

const std::vector<source_file> files{{"a/more.cpp", ""}, {"math.cpp", ""}, {"math.hpp", ""}};
const function_declaration add{"math.add", "math.hpp", "add", "nat(nat, nat)"};

std::string faults_of(const declaration& from) {
  auto result = check_project(from, files);
  std::string text;
  if (auto faults = std::get_if<std::vector<diagnostic>>(&result))
    for (auto& d : *faults)
      text += (text.empty() ? "" : " | ") + std::string{to_string(d.where)} + " " + d.name + " " +
              std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message;
  return text;
}

} // namespace

CAF_TEST(a good declaration becomes a project with all its sources) {
  auto result =
      check_project(with({add}, {{"g",
                                  "return math::add(input<nat>(\"a\"), input<nat>(\"b\"));",
                                  {{"a", "nat"}},
                                  "nat",
                                  false}}),
                    files);
  CAF_REQUIRE(std::holds_alternative<project>(result));
  auto& p = std::get<project>(result);
  CAF_CHECK(p.sources == (std::vector<std::string>{"a/more.cpp", "math.cpp"}));
  CAF_CHECK_EQUAL(p.graphs.front().parsed.nodes.size(), 3u);
  CAF_CHECK_EQUAL(p.graphs.front().output_type->text(), "nat");
  CAF_CHECK_EQUAL(p.function("math.add").type.text(), "nat(nat,nat)");
}

CAF_TEST(all faults are told at once) {
  CAF_CHECK_EQUAL(
      faults_of(with({{"f", "other.hpp", "f", "nat(nat"}, add},
                     {{"g", "auto x = sub(1);\nreturn f(math::add(x, x), x, x);", {}, {}, false},
                      {"h", "return math::add(input<nat>(\"a\"));", {}, {}, false}})),
      "function f 0:0 the source has no file 'other.hpp' | function f 1:8 signature: expected ',', "
      "got the end | graph g 1:10 unknown function 'sub' | graph h 1:8 'math::add' takes 2 "
      "arguments, got 1");
}

CAF_TEST(declared types of inputs and outputs are checked) {
  const std::string program = "return math::add(input<nat>(\"a\"), input<nat>(\"b\"));";
  CAF_CHECK_EQUAL(faults_of(with({add}, {{"g", program, {{"c", "nat"}}, {}, false}})),
                  "graph g 0:0 inputTypes.c: the program has no such input");
  CAF_CHECK_EQUAL(faults_of(with({add}, {{"g", program, {{"a", "int"}}, "nat&", false}})),
                  "graph g 0:0 inputTypes.a: expected a type, got 'int' | graph g 0:0 outputType: "
                  "expected the end of the type, got '&'");
  CAF_CHECK_EQUAL(faults_of(with({add}, {{"g", program, {}, "point", false}})),
                  "graph g 0:0 outputType: no declared signature names the type 'point'");
}

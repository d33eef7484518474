#define CAF_SUITE codegen
#include "actors/eval/codegen.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

project project_of(std::vector<function_declaration> functions,
                   std::vector<graph_declaration> graphs) {
  std::vector<source_file> files{{"a.hpp", ""}, {"b.hpp", ""}};
  auto result =
      check_project({inline_source{}, std::move(functions), std::move(graphs), "public"}, files);
  if (auto faults = std::get_if<std::vector<diagnostic>>(&result))
    CAF_FAIL(faults->front().message);
  return std::get<project>(std::move(result));
}

const function_declaration add{"m.add", "a.hpp", "m::add", "nat(nat, nat)"};
const function_declaration place{"m.place", "b.hpp", "place", "geo::point(nat)"};

std::string content_of(const std::vector<generated_file>& files, std::string_view name) {
  for (auto& file : files)
    if (file.name == name)
      return file.content;
  return {};
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

} // namespace

CAF_TEST(there is one unit per header and one per graph and the main one) {
  auto files = generate_driver(
      project_of({add, place, {"x", "a.hpp", "x", "nat()"}},
                 {{"g", "return x();", {}, {}, false}, {"h", "return x();", {}, {}, true}}));
  std::string names;
  for (auto& file : files)
    names += file.name + " ";
  CAF_CHECK_EQUAL(names, "functions_0.cpp functions_1.cpp graph_0.cpp graph_1.cpp driver.cpp ");
  CAF_CHECK(has(content_of(files, "functions_0.cpp"), "#include \"a.hpp\"\n"));
  CAF_CHECK(!has(content_of(files, "functions_0.cpp"), "b.hpp"));
}

CAF_TEST(a function is bound with its exact type in its line) {
  auto text = content_of(generate_driver(project_of({add}, {})), "functions_0.cpp");
  CAF_CHECK(has(text, "#line 1000 \"caf_app:function/m.add\"\n"));
  CAF_CHECK(has(text, "using type_0 = ::caf_app::eval::nat(::caf_app::eval::nat,"
                      "::caf_app::eval::nat); "));
  CAF_CHECK(has(text, "bind<type_0, static_cast<type_0*>(&::m::add)>(\"m.add\", "
                      "\"nat(nat, nat)\")"));
}

CAF_TEST(a function with two names is bound once for each) {
  auto plus = add;
  plus.name = "m.plus";
  auto files = generate_driver(
      project_of({add, plus},
                 {{"g", "return m::plus(input<nat>(\"a\"), input<nat>(\"b\"));", {}, {}, false}}));
  auto text = content_of(files, "functions_0.cpp");
  for (auto part : {"function_0() { static const auto face = ::caf_app::eval::bind<type_0, "
                    "static_cast<type_0*>(&::m::add)>(\"m.add\", ",
                    "function_1() { static const auto face = ::caf_app::eval::bind<type_1, "
                    "static_cast<type_1*>(&::m::add)>(\"m.plus\", "})
    CAF_CHECK(has(text, part));
  CAF_CHECK(has(content_of(files, "graph_0.cpp"), "&function_1, "));
}

CAF_TEST(types of the project are asserted to cross and built - in ones are not ) {
  auto files = generate_driver(project_of({add, place}, {}));
  CAF_CHECK(has(content_of(files, "functions_1.cpp"),
                "static_assert(::caf_app::eval::crosses<::geo::point>, \"the result, geo::point, "
                "does not cross as JSON\");"));
  CAF_CHECK(!has(content_of(files, "functions_0.cpp"), "crosses<"));
}

CAF_TEST(a graph asserts only types that differ by name and at their place) {
  const function_declaration json_of{"m.json", "a.hpp", "j", "json(nat)"};
  auto text = content_of(
      generate_driver(project_of({add, json_of},
                                 {{"g",
                                   "auto a = input<nat>(\"a\");\nreturn m::add(\n  m::json(a), a);",
                                   {{"a", "integer"}},
                                   "json",
                                   false}})),
      "graph_0.cpp");
  CAF_CHECK(has(text, "#line 3 \"caf_app:graph/g\"\nstatic_assert(::std::is_same_v<"
                      "::caf_app::eval::json, ::caf_app::eval::nat>, \"@3 argument 1 of m::add is "
                      "nat, got json\");"));
  CAF_CHECK(has(text, "\"@10 input a is nat, inputTypes has integer\""));
  CAF_CHECK(has(text, "\"@8 the graph returns nat, outputType is json\""));
  CAF_CHECK(!has(text, "argument 2 of"));
}

CAF_TEST(a graph includes the headers of the project types that it needs) {
  const function_declaration use{"use", "a.hpp", "use", "nat(geo::point)"};
  auto text = content_of(
      generate_driver(project_of(
          {add, place, use}, {{"g", "return use(m::place(input<nat>(\"a\")));", {}, {}, true}})),
      "graph_0.cpp");
  CAF_CHECK(has(text, "#include \"a.hpp\"\n"));
  CAF_CHECK(has(text, "#include \"b.hpp\"\n"));
  CAF_CHECK(has(text, "make_plan(\"g\", true, rows, {arguments, 2})"));
}

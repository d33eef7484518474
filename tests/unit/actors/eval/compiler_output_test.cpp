#define CAF_SUITE compiler_output
#include "actors/eval/compiler_output.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

project made_up() {
  project result;
  function_declaration function{"math.add", "math.hpp", "math::add", "nat(nat, nat)"};
  result.functions.push_back({function, std::get<signature>(parse_signature(function.signature))});
  return result;
}

const output_folders folders{"/b/source", "/b/generated"};

/// Diagnostics in short: "scope name file:line:column message (hint)".
std::string shown(const std::vector<diagnostic>& list) {
  std::string text;
  for (auto& d : list) {
    text += text.empty() ? "" : " | ";
    text += std::string{to_string(d.where)} + " " + d.name + " " + d.file + ":" +
            std::to_string(d.line) + ":" + std::to_string(d.column) + " " + d.message;
    if (!d.hint.empty())
      text += " (" + d.hint + ")";
  }
  return text;
}

std::string read(std::string_view text) {
  return shown(read_compiler_output(text, made_up(), folders));
}

} // namespace

CAF_TEST(an error in the source has its place there and the note as its hint) {
  CAF_CHECK_EQUAL(read("/b/source/sub/math.cpp: In function 'nat add(nat)':\n"
                       "/b/source/sub/math.cpp:3:14: error: 'x' was not declared\n"
                       "    3 | return x;\n      |        ^\n"
                       "/b/source/sub/math.cpp:1:2: note: did you mean 'y'?\n"
                       "/b/source/sub/math.cpp:1:3: note: another note\n"),
                  "project  sub/math.cpp:3:14 'x' was not declared (did you mean 'y'?)");
}

CAF_TEST(all errors are read) {
  CAF_CHECK_EQUAL(read("/b/source/a.cpp:1:2: error: one\n/b/source/a.cpp:3:4: fatal error: two: No "
                       "such file\n/b/source/a.cpp:5:6: warning: three [-Wx]\n"),
                  "project  a.cpp:1:2 one | project  a.cpp:3:4 two: No such file | project  "
                  "a.cpp:5:6 three [-Wx]");
}

CAF_TEST(a wrong signature is told in the words of the declaration) {
  CAF_CHECK_EQUAL(
      read("caf_app:function/math.add:1000:120: error: invalid 'static_cast' from X to "
           "Y\ncaf_app:function/math.add:1000:99: error: no matching function\n"),
      "function math.add math.hpp:0:0 'math::add' in math.hpp is no function of exactly "
      "the type nat(nat,nat) (invalid 'static_cast' from X to Y)");
}

CAF_TEST(a type that does not cross is told in words of ours) {
  CAF_CHECK_EQUAL(
      read("caf_app:function/math.add:1:20: error: static assertion failed: argument 1, "
           "cursor, does not cross as JSON\n"),
      "function math.add math.hpp:0:0 argument 1, cursor, does not cross as JSON");
}

CAF_TEST(an error of a graph has line and column of the program) {
  CAF_CHECK_EQUAL(read("caf_app:graph/sum:7:21: error: static assertion failed: @14 argument 2 of "
                       "math::add is nat, got json\n"),
                  "graph sum :7:14 argument 2 of math::add is nat, got json");
}

CAF_TEST(errors outside the project are of scope driver and warnings there are none) {
  CAF_CHECK_EQUAL(read("/usr/include/x.h:1:2: error: odd\n/usr/include/x.h:1:2: warning: w\n"
                       "g++: fatal error: Killed signal terminated program cc1plus\n"),
                  "driver  :0:0 odd | driver  :0:0 Killed signal terminated program cc1plus");
}

CAF_TEST(quoted source and other lines are no errors) {
  CAF_CHECK_EQUAL(read("  12 |  auto x = \"a: error: b\";\ncompilation terminated.\n: error: x\n"),
                  "");
}

CAF_TEST(undefined functions are told by their declaration) {
  CAF_CHECK_EQUAL(
      shown(read_linker_output(
          "/usr/bin/ld: /tmp/x.o: in function `f':\n"
          "x.cpp:(.text+0x1): undefined reference to `math::add(caf_app::eval::nat)'\n"
          "x.cpp:(.text+0x2): undefined reference to `math::add(caf_app::eval::nat)'\n"
          "x.cpp:(.text+0x3): undefined reference to `helper()'\n",
          made_up())),
      "function math.add math.hpp:0:0 declared in math.hpp but not defined: "
      "math::add(caf_app::eval::nat) (define it in a .cpp file of the source; every one "
      "is compiled) | project  :0:0 not defined: helper() (define it in a .cpp file of "
      "the source; every one is compiled)");
}

CAF_TEST(a main function of the project is told as such) {
  CAF_CHECK_EQUAL(
      shown(read_linker_output("/usr/bin/ld: b.o: in function `main':\nx.cpp:(.text+0): "
                               "multiple definition of `main'; a.o:a.cpp:(.text+0): "
                               "first defined here\n",
                               made_up())),
      "project  :0:0 the project defines main, which belongs to the driver");
}

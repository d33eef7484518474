#define CAF_SUITE declaration
#include "actors/eval/declaration.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

std::variant<declaration, std::string> read(const std::string& text,
                                            local_sources local = local_sources::refused) {
  return read_declaration(std::get<json>(read_json(text)), local);
}

std::string fault_of(const std::string& text) {
  auto result = read(text);
  auto fault = std::get_if<std::string>(&result);
  return fault ? *fault : "none";
}

const std::string function =
    R"j({"name":"m.f","header":"m.hpp","function":"f","signature":"nat(nat)"})j";

/// A declaration with its parts exchanged.
std::string with(const std::string& source, const std::string& functions = "[" + function + "]",
                 const std::string& graphs = "[]", const std::string& more = "") {
  return "{\"source\":" + source + ",\"functions\":" + functions + ",\"graphs\":" + graphs + more +
         "}";
}

const std::string files = R"({"files":{"m.hpp":"x","a/b.cpp":""}})";

std::string function_with(const std::string& member, const std::string& value) {
  std::string text = "{";
  for (auto [name, good] : {std::pair{"name", "m.f"},
                            {"header", "m.hpp"},
                            {"function", "f"},
                            {"signature", "nat(nat)"}})
    text += std::string{text.size() > 1 ? ",\"" : "\""} + name +
            "\":" + (name == member ? value : "\"" + std::string{good} + "\"");
  return text + "}";
}

} // namespace

CAF_TEST(a whole declaration is read) {
  auto result = read(with(files, "[" + function + "]",
                          R"([{"name":"g","program":"return 1;","inputTypes":{"a":"nat"},)"
                          R"("outputType":"nat","cutoff":true}])",
                          R"(,"binding":{"org_id":"acme"},"other":1)"));
  CAF_REQUIRE(std::holds_alternative<declaration>(result));
  auto& d = std::get<declaration>(result);
  CAF_CHECK_EQUAL(std::get<inline_source>(d.source).files.front().path, "a/b.cpp");
  CAF_CHECK_EQUAL(d.functions.front().signature, "nat(nat)");
  CAF_CHECK_EQUAL(d.graphs.front().input_types.at("a"), "nat");
  CAF_CHECK(d.graphs.front().cutoff);
  CAF_CHECK_EQUAL(d.organisation, "acme");
}

CAF_TEST(faults name the member) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "expected an object"},
      {"{}", "source: missing"},
      {with("{}"), "source: expected an object with one of files, directory, git"},
      {with(R"({"zip":"x"})"), "source: unknown kind 'zip', there are files, directory, git"},
      {with(files, "[]"), "functions: at least one"},
      {with(files, "{}"), "functions: expected an array"},
      {with(files, "[1]"), "functions[0]: expected an object"},
      {with(files, "[" + function + "," + function + "]"),
       "functions[1].name: 'm.f' is declared twice"},
      {with(files, "[" + function_with("signature", "5") + "]"),
       "functions[0].signature: expected a string, got a number"},
      {with(files, "[" + function_with("signature", R"j("nat(\nnat)")j") + "]"),
       "functions[0].signature: expected one line of at most 4096 bytes"},
      {with(files, "[" + function_with("header", R"("../m.hpp")") + "]"),
       "functions[0].header: expected a relative path"},
      {with(files, "[" + function_with("function", R"("f+g")") + "]"),
       "functions[0].function: expected the qualified name of a C++ function"},
      {with(files, "[" + function + "]", R"([{"name":"g"}])"), "graphs[0].program: missing"},
      {with(files, "[" + function + "]", R"([{"name":"g","program":"","cutoff":1}])"),
       "graphs[0].cutoff: expected a boolean"},
      {with(files, "[" + function + "]", R"([{"name":"g","program":"","inputTypes":{"a b":"x"}}])"),
       "graphs[0].inputTypes: 'a b' is no identifier"},
      {with(files, "[" + function + "]", "[]", R"(,"binding":{"org_id":"a b"})"),
       "binding.org_id: expected letters, digits, '_' and '-'"},
  };
  for (auto& [text, fault] : cases)
    CAF_CHECK_EQUAL(fault_of(text), fault);
}

CAF_TEST(paths of files are relative and plain) {
  for (auto path : {"/a", "a/", "a//b", "../a", "a/../b", ".", "a\\\\b", "a\\u0000b", ""})
    CAF_CHECK(fault_of(with("{\"files\":{\"" + std::string{path} + "\":\"\"}}")) != "none");
  CAF_CHECK_EQUAL(fault_of(with(R"({"files":{"a":"","a-b":"","a/c":""}})")),
                  "source.files: 'a' is a file and a folder");
}

CAF_TEST(names are dotted identifiers of at most 128 characters) {
  for (auto name : {"a", "a.b.c", "_x1.y"})
    CAF_CHECK(is_dotted_name(name));
  for (auto name : {"", ".", "a.", ".a", "a..b", "1a", "a-b", "a b"})
    CAF_CHECK(!is_dotted_name(name));
  CAF_CHECK(is_dotted_name(std::string(128, 'a')));
  CAF_CHECK(!is_dotted_name(std::string(129, 'a')));
}

CAF_TEST(the number of functions and graphs is limited) {
  auto list = [](size_t n, const std::string& rest) {
    std::string items;
    for (size_t i = 0; i < n; ++i)
      items +=
          (i > 0 ? ",{\"name\":\"n" : "{\"name\":\"n") + std::to_string(i) + "\"," + rest + "}";
    return "[" + items + "]";
  };
  const std::string body = R"j("header":"m.hpp","function":"f","signature":"nat(nat)")j";
  CAF_CHECK_EQUAL(fault_of(with(files, list(256, body))), "none");
  CAF_CHECK_EQUAL(fault_of(with(files, list(257, body))), "functions: more than 256");
  const auto one = "[" + function + "]";
  CAF_CHECK_EQUAL(fault_of(with(files, one, list(64, R"("program":"")"))), "none");
  CAF_CHECK_EQUAL(fault_of(with(files, one, list(65, R"("program":"")"))), "graphs: more than 64");
}

CAF_TEST(local sources need to be allowed) {
  const auto directory = with(R"({"directory":"/srv/p"})");
  const std::string commit(40, 'a');
  const auto git = with(R"({"git":{"url":"file:///srv/p","commit":")" + commit + "\"}}");
  CAF_CHECK_EQUAL(fault_of(directory),
                  "source.directory: local sources are not allowed here (allow_local)");
  CAF_CHECK_EQUAL(fault_of(git),
                  "source.git.url: local sources are not allowed here (allow_local)");
  CAF_CHECK(std::holds_alternative<declaration>(read(directory, local_sources::allowed)));
  CAF_CHECK(std::holds_alternative<declaration>(read(git, local_sources::allowed)));
}

CAF_TEST(git sources name a full commit and an https address) {
  const std::string commit(40, 'a');
  auto git = [&](const std::string& members) { return with("{\"git\":{" + members + "}}"); };
  CAF_CHECK_EQUAL(fault_of(git(R"("url":"https://h/p","commit":")" + commit +
                               R"(","branch":"main","path":"a/b")")),
                  "none");
  CAF_CHECK_EQUAL(fault_of(git(R"("url":"https://h/p","commit":"abc")")),
                  "source.git.commit: expected the full hash in lower case");
  CAF_CHECK_EQUAL(fault_of(git(R"("url":"ssh://h/p","commit":")" + commit + "\"")),
                  "source.git.url: expected https:// or file://");
  CAF_CHECK_EQUAL(fault_of(git(R"("url":"https://h/p","commit":")" + commit +
                               R"(","branch":"--upload-pack=x")")),
                  "source.git.branch: is no name of a branch");
}

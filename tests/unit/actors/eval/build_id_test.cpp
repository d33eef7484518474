#define CAF_SUITE build_id
#include "actors/eval/build_id.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

std::string id_of(const std::string& text, std::string_view salt = "salt") {
  auto result = read_declaration(std::get<json>(read_json(text)), local_sources::allowed);
  auto& d = std::get<declaration>(result);
  std::vector<source_file> none;
  auto files = std::get_if<inline_source>(&d.source);
  return build_id_of(salt, d, files ? files->files : none);
}

const std::string base =
    R"({"source":{"files":{"m.hpp":"1","n.cpp":"2"}},"functions":[{"name":"m.f","header":"m.hpp",)"
    R"j("function":"f","signature":"nat(nat)"}]})j";

} // namespace

CAF_TEST(the id is a SHA - 256 in lower - case hex) {
  CAF_CHECK(is_build_id(id_of(base)));
  CAF_CHECK(!is_build_id(id_of(base).substr(1)));
  CAF_CHECK(!is_build_id(std::string(64, 'A')));
}

CAF_TEST(order of members and blanks in signatures do not matter) {
  CAF_CHECK_EQUAL(id_of(R"j({"functions":[{"signature":" nat ( nat ) ","function":"::f",)j"
                        R"("header":"m.hpp","name":"m.f"}],"graphs":[],)"
                        R"("source":{"files":{"n.cpp":"2","m.hpp":"1"}}})"),
                  id_of(base));
}

CAF_TEST(salt and organisation and every part of the request matter) {
  auto changed = [](std::string_view from, std::string_view to) {
    auto text = base;
    text.replace(text.find(from), from.size(), to);
    return id_of(text);
  };
  CAF_CHECK(id_of(base, "other") != id_of(base));
  CAF_CHECK(changed("\"1\"", "\"3\"") != id_of(base));
  CAF_CHECK(changed("n.cpp", "o.cpp") != id_of(base));
  CAF_CHECK(changed("m.f", "m.g") != id_of(base));
  CAF_CHECK(changed("nat(nat)", "nat(json)") != id_of(base));
  CAF_CHECK(changed("{\"source\"", "{\"binding\":{\"org_id\":\"acme\"},\"source\"") != id_of(base));
  CAF_CHECK_EQUAL(changed("{\"source\"", "{\"binding\":{\"org_id\":\"public\"},\"source\""),
                  id_of(base));
}

CAF_TEST(a source is described without its content) {
  const auto text = to_text(describe_source(inline_source{}, {{"a.cpp", "secret"}}));
  CAF_CHECK_EQUAL(text.find("secret"), std::string::npos);
  CAF_CHECK(text.find(R"("path":"a.cpp","bytes":6,"sha256":"2bb80d53)") != std::string::npos);
}

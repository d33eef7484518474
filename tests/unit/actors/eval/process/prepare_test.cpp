#define CAF_SUITE prepare
#include "actors/eval/process/prepare.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app::eval;

namespace {

std::string body_of(const std::string& source, const std::string& more = "") {
  return R"({"source":)" + source +
         R"x(,"functions":[{"name":"f","header":"m.hpp","function":"f","signature":"nat()"}])x" +
         more + "}";
}

const std::string files = R"({"files":{"m.hpp":"x"}})";

prepared_build prepare(const std::string& body, const std::string& organisation = "",
                       local_sources local = local_sources::refused) {
  return prepare_build(body, organisation, local, "salt");
}

} // namespace

CAF_TEST(the same request has the same id however it is written) {
  const auto one = prepare(body_of(files));
  CAF_REQUIRE_EQUAL(one.fault, "");
  CAF_CHECK_EQUAL(one.files.size(), 1u);
  CAF_CHECK_EQUAL(prepare(" " + body_of(files, R"(,"graphs":[])")).id, one.id);
  CAF_CHECK(prepare(body_of(R"({"files":{"m.hpp":"y"}})")).id != one.id);
  CAF_CHECK(prepare_build(body_of(files), "", local_sources::refused, "other").id != one.id);
}

CAF_TEST(an organisation is part of the id and has to be the visitors) {
  const auto nobody = prepare(body_of(files));
  CAF_CHECK_EQUAL(nobody.declared.organisation, "public");
  const auto mine = prepare(body_of(files), "org");
  CAF_CHECK_EQUAL(mine.declared.organisation, "org");
  CAF_CHECK(mine.id != nobody.id);
  const auto named = body_of(files, R"(,"binding":{"org_id":"org"})");
  CAF_CHECK_EQUAL(prepare(named, "org").id, mine.id);
  CAF_CHECK_EQUAL(prepare(named).id, mine.id);
  CAF_CHECK_EQUAL(prepare(named, "other").status, 403);
}

CAF_TEST(what is malformed is refused) {
  for (auto& body :
       {std::string{"{"}, std::string{"{}"}, std::string{"[]"}, body_of("{}"),
        body_of(files, R"(,"binding":{"org_id":"a b"})"), body_of(R"({"directory":"/tmp"})")}) {
    const auto result = prepare(body);
    CAF_CHECK_EQUAL(result.status, 400);
    CAF_CHECK(!result.fault.empty());
  }
}

CAF_TEST(a folder is taken as it is now) {
  const scratch_folder folder;
  std::ofstream{folder.path() + "/m.hpp"} << "x";
  const auto body = body_of(R"({"directory":")" + folder.path() + R"("})");
  const auto first = prepare(body, "", local_sources::allowed);
  CAF_REQUIRE_EQUAL(first.fault, "");
  CAF_CHECK_EQUAL(first.files.size(), 1u);
  std::ofstream{folder.path() + "/m.hpp"} << "y";
  CAF_CHECK(prepare(body, "", local_sources::allowed).id != first.id);
  std::filesystem::create_symlink("/etc/passwd", folder.path() + "/link");
  CAF_CHECK_EQUAL(prepare(body, "", local_sources::allowed).status, 400);
}

CAF_TEST(a commit names its content and is fetched later) {
  const auto git = [](const char* commit) {
    return prepare(body_of(std::string{R"({"git":{"url":"https://a.example/x.git","commit":")"} +
                           std::string(40, *commit) + R"("}})"));
  };
  CAF_REQUIRE_EQUAL(git("a").fault, "");
  CAF_CHECK(git("a").files.empty());
  CAF_CHECK_EQUAL(git("a").id, git("a").id);
  CAF_CHECK(git("a").id != git("b").id);
}

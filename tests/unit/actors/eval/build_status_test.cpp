#define CAF_SUITE build_status
#include "actors/eval/build_status.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

json parse(std::string_view text) { return std::get<json>(read_json(text)); }

build_status ready() {
  build_status status;
  status.id = std::string(64, 'a');
  status.state = build_state::ready;
  status.organisation = "acme";
  status.source = parse(R"({"files":[]})");
  status.created_ms = 5;
  status.took_ms = 7;
  status.description = parse(R"({"functions":[1],"graphs":[2],"contract":"c","other":3})");
  return status;
}

} // namespace

CAF_TEST(states and their names agree) {
  for (auto name : {"queued", "fetching", "building", "ready", "failed", "cancelled"})
    CAF_CHECK_EQUAL(std::string{to_string(*build_state_of(name))}, name);
  CAF_CHECK(!build_state_of("done"));
  CAF_CHECK(is_unfinished(build_state::fetching));
  CAF_CHECK(!is_unfinished(build_state::cancelled));
}

CAF_TEST(a ready build shows what its driver holds) {
  CAF_CHECK_EQUAL(to_text(to_json(ready())),
                  R"({"id":")" + std::string(64, 'a') +
                      R"(","state":"ready","source":{"files":[]},"diagnostics":[],"createdAt":5,)"
                      R"("tookMs":7,"functions":[1],"graphs":[2],"contract":"c"})");
}

CAF_TEST(an unfinished build has no time and no error) {
  auto status = ready();
  status.state = build_state::building;
  status.took_ms.reset();
  const auto value = to_json(status);
  CAF_CHECK(value.find("tookMs")->is_null());
  CAF_CHECK(value.find("error") == nullptr);
  CAF_CHECK(value.find("functions") == nullptr);
}

CAF_TEST(a record reads back and keeps the organisation) {
  auto status = ready();
  status.error = "why";
  auto again = read_record(to_record(status));
  CAF_REQUIRE(again.has_value());
  CAF_CHECK(to_record(*again) == to_record(status));
  CAF_CHECK_EQUAL(again->organisation, "acme");
}

CAF_TEST(what is no record is none) {
  for (auto member : {"id", "state", "organisation", "createdAt", "source", "diagnostics"}) {
    auto record = to_record(ready());
    std::erase_if(*record.if_object(), [&](auto& m) { return m.name == member; });
    CAF_CHECK(!read_record(record));
  }
  CAF_CHECK(!read_record(json{}));
}

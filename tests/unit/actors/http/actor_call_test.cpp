#define CAF_SUITE actor_call
#include "actors/http/actor_call.hpp"

#include <caf/sec.hpp>
#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;
using namespace caf_app::http;

namespace {

std::string json_of(std::string_view query) {
  const auto text = query_to_json(query);
  return text ? *text : to_string(code_of(text.error()));
}

const std::string refused = to_string(errc::invalid_argument);

} // namespace

CAF_TEST(the path below a route is the method) {
  CAF_CHECK_EQUAL(actor_method(""), "call");
  CAF_CHECK_EQUAL(actor_method("/"), "call");
  CAF_CHECK_EQUAL(actor_method("/get"), "get");
  CAF_CHECK_EQUAL(actor_method("/get/"), "get");
  CAF_CHECK_EQUAL(actor_method("/get/all/now"), "get.all.now");
  CAF_CHECK_EQUAL(actor_method("/with%20blank"), "with blank");
}

CAF_TEST(a query is an object of strings) {
  CAF_CHECK_EQUAL(json_of(""), "{}");
  CAF_CHECK_EQUAL(json_of("a=1&b=x"), R"({"a":"1","b":"x"})");
  CAF_CHECK_EQUAL(json_of("a"), R"({"a":""})");
  CAF_CHECK_EQUAL(json_of("a="), R"({"a":""})");
  CAF_CHECK_EQUAL(json_of("=1"), R"({"":"1"})");
  CAF_CHECK_EQUAL(json_of("a=b=c"), R"({"a":"b=c"})");
  CAF_CHECK_EQUAL(json_of("&&a=1&"), R"({"a":"1"})");
}

CAF_TEST(names and values of a query are decoded) {
  CAF_CHECK_EQUAL(json_of("first+name=Ada%20L.&%61=%C3%BC"),
                  "{\"first name\":\"Ada L.\",\"a\":\"\xC3\xBC\"}");
  CAF_CHECK_EQUAL(json_of("a=%zz&b=%4"), R"({"a":"%zz","b":"%4"})");
  CAF_CHECK_EQUAL(json_of("a=%22%5C%0A"), R"({"a":"\"\\\n"})");
}

CAF_TEST(of a repeated name the last value counts) {
  CAF_CHECK_EQUAL(json_of("a=1&b=2&a=3"), R"({"a":"3","b":"2"})");
}

CAF_TEST(a query that is no UTF - 8 is refused) {
  CAF_CHECK_EQUAL(json_of("a=%FF"), refused);
  CAF_CHECK_EQUAL(json_of("%C3=1"), refused);
  CAF_CHECK_EQUAL(json_of("a=%ED%A0%80"), refused); // half of a surrogate pair
}

CAF_TEST(JSON is named by its type or by a suffix) {
  for (const auto* type :
       {"application/json", "Application/JSON", "application/json; charset=utf-8",
        " application/json ;x=y", "application/ld+json"})
    CAF_CHECK(is_json_type(type));
  for (const auto* type : {"", "text/plain", "application/jsonx", "text/json-seq", ";", "json"})
    CAF_CHECK(!is_json_type(type));
}

CAF_TEST(one JSON value is JSON) {
  for (const auto* text : {"1", "null", " {} ", "[1,2]", "\"x\""})
    CAF_CHECK(!check_json(text));
  for (const auto* text : {"", " ", "{", "1 2", "{\"a\":}", "nul", "\"\xFF\"", "[1,]"})
    CAF_CHECK_EQUAL(code_of(check_json(text)), errc::invalid_argument);
}

CAF_TEST(JSON may be 128 levels deep) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CAF_CHECK(!check_json(nested(128)));
  CAF_CHECK(check_json(nested(129)));
}

CAF_TEST(every error has its status) {
  struct row {
    errc code;
    uint16_t status;
    bool retry_later;
    bool explain;
  };
  const row rows[] = {
      {errc::noproc, 503, true, false},
      {errc::draining, 503, true, false},
      {errc::busy, 503, true, false},
      {errc::peer_congested, 503, true, false},
      {errc::target_failed, 502, false, false},
      {errc::link_lost, 502, false, false},
      {errc::node_left, 502, false, false},
      {errc::unexpected_reply, 502, false, false},
      {errc::malformed_message, 502, false, false},
      {errc::timed_out, 504, false, false},
      {errc::invalid_argument, 400, false, true},
      {errc::denied, 403, false, true},
      {errc::not_found, 404, false, true},
      {errc::conflict, 409, false, true},
      {errc::unhandled_message, 500, false, true},
      {errc::io_failed, 500, false, true},
  };
  for (const auto& row : rows) {
    const auto failure = failure_of(caf::make_error(row.code, "text"));
    CAF_CHECK_EQUAL(failure.status, row.status);
    CAF_CHECK_EQUAL(failure.retry_later, row.retry_later);
    CAF_CHECK_EQUAL(failure.explain, row.explain);
  }
  CAF_CHECK_EQUAL(failure_of(caf::make_error(caf::sec::runtime_error)).status, 500u);
}

CAF_TEST(an error of an actor is explained as JSON) {
  const auto text = explain_error(caf::make_error(errc::not_found, "no \"x\""));
  CAF_CHECK(text.ends_with(R"(no \"x\"","code":"not_found"})"));
  CAF_CHECK(explain_error(caf::make_error(errc::io_failed, "x")).ends_with(R"("code":"error"})"));
}

CAF_TEST(bytes that are no text are left out of an explanation) {
  const auto text = explain_error(caf::make_error(errc::not_found, "\xFF"));
  CAF_CHECK(!check_json(text));
}

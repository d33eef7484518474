#define CAF_SUITE api_route
#include "actors/eval/api_route.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

namespace {

using what = api_route::what;

const std::string id(64, 'a');

what operation(const char* method, const std::string& path) {
  return find_api_route(method, path).operation;
}

} // namespace

CAF_TEST(each route of the API is found) {
  for (auto path : {"/health", "/_health", "health", "/health/"})
    CAF_CHECK(operation("GET", path) == what::health);
  CAF_CHECK(operation("HEAD", "/health") == what::health);
  CAF_CHECK(operation("POST", "/builds") == what::post_build);
  CAF_CHECK(operation("GET", "/builds") == what::list_builds);
  CAF_CHECK(operation("GET", "/builds/" + id) == what::get_build);
  CAF_CHECK(operation("DELETE", "/builds/" + id) == what::delete_build);
  CAF_CHECK(operation("GET", "/builds/" + id + "/log") == what::get_log);
  const auto function = find_api_route("POST", "/builds/" + id + "/functions/math.add");
  CAF_CHECK(function.operation == what::call_function);
  CAF_CHECK_EQUAL(function.build, id);
  CAF_CHECK_EQUAL(function.entry, "math.add");
  CAF_CHECK(operation("POST", "/builds/" + id + "/graphs/sum") == what::call_graph);
}

CAF_TEST(everything else is not found) {
  for (const auto& path :
       {std::string{""}, std::string{"/"}, std::string{"/nothing"}, "/builds/" + id.substr(1),
        "/builds/" + std::string(64, 'A'), "/builds/" + id + "/logs",
        "/builds/" + id + "/functions", "/builds/" + id + "/functions/a/b",
        "/builds/" + id + "/functions/a%20b", "/builds//" + id, std::string{"/health/x"}})
    CAF_CHECK(operation("GET", path) == what::not_found);
}

CAF_TEST(a wrong method names those that would do) {
  const auto wrong = find_api_route("PUT", "/builds/" + id);
  CAF_CHECK(wrong.operation == what::method_not_allowed);
  CAF_CHECK_EQUAL(wrong.allow, "GET, HEAD, DELETE");
  CAF_CHECK_EQUAL(find_api_route("DELETE", "/builds").allow, "GET, HEAD, POST");
  CAF_CHECK_EQUAL(find_api_route("GET", "/builds/" + id + "/graphs/g").allow, "POST");
  CAF_CHECK_EQUAL(find_api_route("POST", "/health").allow, "GET, HEAD");
}

CAF_TEST(parameters of a query are told apart) {
  CAF_CHECK_EQUAL(query_value("wait=30s&x=1", "wait").value_or("none"), "30s");
  CAF_CHECK_EQUAL(query_value("x=1&wait=", "wait").value_or("none"), "");
  CAF_CHECK_EQUAL(query_value("wait", "wait").value_or("none"), "");
  CAF_CHECK_EQUAL(query_value("await=1", "wait").value_or("none"), "none");
  CAF_CHECK_EQUAL(query_value("", "wait").value_or("none"), "none");
}

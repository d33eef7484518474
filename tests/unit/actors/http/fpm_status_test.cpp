#define CAF_SUITE fpm_status
#include "actors/http/fpm_status.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

CAF_TEST(a page as PHP writes it) {
  const auto status = parse_fpm_status(
      R"({"pool":"www","process manager":"static","start time":1,"start since":2,"accepted conn":3,)"
      R"("listen queue":4,"max listen queue":5,"listen queue len":6,"idle processes":7,)"
      R"("active processes":8,"total processes":15,"max active processes":9,)"
      R"("max children reached":0,"slow requests":0})");
  CAF_REQUIRE(status);
  CAF_CHECK(*status == (fpm_status{4, 7, 8}));
}

CAF_TEST(anything else is no status) {
  for (const auto* text :
       {"", "null", "[]", "{}", "pool: www", R"({"listen queue":1,"idle processes":2})",
        R"({"listen queue":"1","idle processes":2,"active processes":3})",
        R"({"listen queue":-1,"idle processes":2,"active processes":3})"})
    CAF_CHECK(!parse_fpm_status(text));
}

CAF_TEST(the question is one request without content) {
  const auto records = fpm_status_request("/status");
  CAF_CHECK_EQUAL(records.substr(0, 2), (std::string{"\1\1", 2}));
  CAF_CHECK(records.find("QUERY_STRINGjson") != std::string::npos);
  CAF_CHECK(records.find("SCRIPT_NAME/status") != std::string::npos);
  CAF_CHECK_EQUAL(records.substr(records.size() - 8), (std::string{"\1\5\0\1\0\0\0\0", 8}));
}

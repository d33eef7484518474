#define CAF_SUITE config_schema
#include "caf_app/base/config_schema.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/limits.hpp"
#include "support/garden_config.hpp"

using namespace garden_config;

CAF_TEST(absolute paths stay and an empty path stays empty) {
  CAF_CHECK_EQUAL(read("garden.map = \"/srv/x\"").value.map.string(), "/srv/x");
  CAF_CHECK_EQUAL(read("garden.map = \"\"").value.map.string(), "");
}

CAF_TEST(ranges hold at both ends) {
  const std::vector<std::tuple<std::string, std::string, std::string, std::string, std::string>>
      rows{
          // key, below, lowest, highest, above
          {"trees", "-1", "0", "50", "101"},
          {"area", "1023", "1024", "\"1MiB\"", "1048577"},
          {"pause", "\"99ms\"", "\"100ms\"", "\"1h\"", "\"3600001ms\""},
          {"first.depth", "0", "1", "9", "10"},
      };
  const std::string name = "\ngarden.first.name = \"a\"";
  for (const auto& [key, below, lowest, highest, above] : rows) {
    CAF_MESSAGE(key);
    CAF_CHECK_EQUAL(read("garden." + key + " = " + lowest + name).error, "");
    CAF_CHECK_EQUAL(read("garden." + key + " = " + highest + name).error, "");
    CAF_CHECK_NOT_EQUAL(read("garden." + key + " = " + below + name).error, "");
    CAF_CHECK_NOT_EQUAL(read("garden." + key + " = " + above + name).error, "");
  }
}

CAF_TEST(a secret is never repeated) {
  config_report report;
  std::string out = "before";
  const auto rule = as_secret(4);
  config_value value;
  value.data = std::string{"abc"};
  CAF_CHECK(!rule.read(value, out, report));
  CAF_CHECK_EQUAL(out, "before");
  CAF_CHECK_EQUAL(report.lines().at(0).find("abc"), std::string::npos);
  value.data = std::string{"abcd"};
  CAF_CHECK(rule.read(value, out, report));
  CAF_CHECK_EQUAL(out, "abcd");
  CAF_CHECK_EQUAL(rule.format(out), "\"\"");
}

CAF_TEST(the table that reads a section is its reference) {
  const auto keys = garden_rule().keys;
  const std::vector<std::tuple<std::string, std::string, std::string>> rows{
      {"open", "boolean", "false"},
      {"trees", "integer of 0 to 100", "3"},
      {"area", "size of 1KiB to 1MiB", "\"64KiB\""},
      {"pause", "duration of 100ms to 1h", "\"5s\""},
      {"motto", "string", "\"a \\\"b\\\"\""},
      {"map", "path", "\"\""},
      {"gate", "address", "\"127.0.0.1:80\""},
      {"hue", "\"red\" or \"green\"", "\"green\""},
      {"birds", "name or list of them", "[]"},
      {"age", "integer of 0 to 500", ""},
      {"labels", "table of strings", "{}"},
      {"first", "table", ""},
      {"pots", "list of table", "[]"},
  };
  CAF_REQUIRE_EQUAL(keys.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CAF_CHECK_EQUAL(keys[i].name, std::get<0>(rows[i]));
    CAF_CHECK_EQUAL(keys[i].type, std::get<1>(rows[i]));
    CAF_CHECK_EQUAL(keys[i].fallback, std::get<2>(rows[i]));
    CAF_CHECK(!keys[i].meaning.empty());
  }
  CAF_REQUIRE_EQUAL(keys.back().keys.size(), 2u);
  CAF_CHECK_EQUAL(keys.back().keys[0].fallback, "required");
}

#define CAF_SUITE config_override
#include "caf_app/base/config_override.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/limits.hpp"
#include "support/garden_config.hpp"

using namespace garden_config;

CAF_TEST(an override replaces what the file says) {
  const std::string text = "[garden]\ntrees = 1\n[[garden.pots]]\nname = \"a\"";
  CAF_CHECK_EQUAL(read(text, {"garden.trees=2"}).value.trees, 2u);
  CAF_CHECK_EQUAL(read(text, {"garden.trees=2", "garden.trees=4"}).value.trees, 4u);
  const auto pots = read(text, {"garden.pots.0.name=b"}).value.pots;
  CAF_REQUIRE_EQUAL(pots.size(), 1u);
  CAF_CHECK_EQUAL(pots[0].name, "b");
  CAF_CHECK_EQUAL(read("", {"garden.first.name=c"}).value.first.name, "c");
  CAF_CHECK(read(text, {"garden.open=true"}).value.open);
  CAF_CHECK_EQUAL(read(text, {"garden.area=\"128KiB\""}).value.area, 128 * limits::kib);
  CAF_CHECK_EQUAL(read(text, {"garden.birds=[\"x\", \"y\"]"}).value.birds.size(), 2u);
}

CAF_TEST(an override that is no TOML value is a string) {
  CAF_CHECK_EQUAL(read("", {"garden.area=128KiB"}).value.area, 128 * limits::kib);
  CAF_CHECK_EQUAL(read("", {"garden.motto=a=b c"}).value.motto, "a=b c");
  CAF_CHECK_EQUAL(read("", {"garden.motto="}).value.motto, "");
  CAF_CHECK_EQUAL(read("", {"garden.motto=1\nx=2"}).value.motto, "1\nx=2");
  CAF_CHECK_EQUAL(read("", {"garden.gate=0.0.0.0:1"}).value.gate.port, 1);
}

CAF_TEST(a broken override names the option) {
  const std::string text = "[garden]\ntrees = 1\n[[garden.pots]]\nname = \"a\"";
  const std::vector<std::pair<std::string, std::string>> rows{
      {"garden.trees", "--set garden.trees: expected key=value, such as http.loops=2"},
      {"=1", "--set : expected a dotted key, such as http.limits.max_body"},
      {"garden..x=1", "--set garden..x: expected a dotted key, such as http.limits.max_body"},
      {"gar den=1", "--set gar den: expected a dotted key, such as http.limits.max_body"},
      {"garden.trees.x=1",
       "--set garden.trees.x: \"garden.trees\" is the integer 1 and has no key \"x\""},
      {"garden.pots.1.name=b",
       "--set garden.pots.1.name: expected the number of an existing element "
       "of \"garden.pots\", found \"1\""},
      {"garden.pots.x=b", "--set garden.pots.x: expected the number of an existing element of "
                          "\"garden.pots\", found \"x\""},
      {"garden.tree=1",
       "--set garden.tree: unknown key \"tree\" in [garden]; did you mean \"trees\"?"},
      {"garden.trees=1000",
       "--set garden.trees: found the integer 1000, expected an integer of 0 to 100"},
      {"gardn.trees=1",
       "--set gardn.trees: unknown key \"gardn\" in the file; did you mean \"garden\"?"},
  };
  for (const auto& [option, complaint] : rows)
    CAF_CHECK_EQUAL(read(text, {option}).error, prefix + complaint);
}

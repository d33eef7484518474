#define CAF_SUITE config
#include "caf_app/base/config.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config_schema.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

enum class color { red, green };

struct pot {
  std::string name;
  int64_t depth = 7;
};

struct garden {
  bool open = false;
  size_t trees = 3;
  uint64_t area = 64 * 1024;
  std::chrono::milliseconds pause = 5s;
  std::string motto = "a \"b\"";
  std::filesystem::path map;
  host_port gate{"127.0.0.1", 80, host_kind::ipv4};
  color hue = color::green;
  std::vector<std::string> birds;
  std::optional<int64_t> age;
  std::vector<std::pair<std::string, std::string>> labels;
  pot first;
  std::vector<pot> pots;
};

config_rule<pot> pot_rule() {
  config_schema<pot> schema{"garden.pot"};
  schema.key("name", &pot::name, as_name(), "its name", config_presence::required)
      .key("depth", &pot::depth, as_integer(1, 9), "in inches")
      .refused("weight", "pots have no weight");
  return as_table(std::move(schema));
}

config_rule<garden> garden_rule() {
  config_schema<garden> schema{"garden"};
  schema.key("open", &garden::open, as_boolean(), "to visitors")
      .key("trees", &garden::trees, as_count(0, 100), "apple trees")
      .key("area", &garden::area, as_size(1024, 1024 * 1024), "size")
      .key("pause", &garden::pause, as_duration(100ms, 1h), "nap")
      .key("motto", &garden::motto, as_text(), "over the gate")
      .key("map", &garden::map, as_path(), "file")
      .key("gate", &garden::gate, as_listen_address(), "address")
      .key("hue", &garden::hue, as_choice<color>({{"red", color::red}, {"green", color::green}}),
           "of it")
      .key("birds", &garden::birds, as_one_or_list(as_name()), "seen")
      .key("age", &garden::age, as_optional(as_integer(0, 500)), "years")
      .key("labels", &garden::labels, as_string_map(), "plates")
      .key("first", &garden::first, pot_rule(), "a pot")
      .key("pots", &garden::pots, as_list(pot_rule()), "more pots")
      .check([](const config_value& table, garden& out, config_report& report) {
        if (out.trees > 50 && !out.open)
          report.add(table.find("trees")->at, "expected open with so many trees");
      });
  return as_table(std::move(schema));
}

/// What `text` is read as, or the text of the error.
struct reading {
  garden value;
  std::string error;
};

reading read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  reading result;
  auto file = config_file::parse(text, "f.toml", "/etc/app", overrides);
  if (!file) {
    result.error = describe(file.error());
    return result;
  }
  file->read("garden", garden_rule(), result.value);
  if (const auto failed = file->finish())
    result.error = describe(failed);
  return result;
}

const std::string prefix = "invalid configuration: ";

} // namespace

CAF_TEST(an empty file leaves every default) {
  for (const auto* text : {"", "# nothing\n", "[garden]\n"}) {
    const auto result = read(text);
    CAF_CHECK_EQUAL(result.error, "");
    CAF_CHECK(result.value.pause == 5s);
    CAF_CHECK(!result.value.age);
  }
}

CAF_TEST(every kind of value is read) {
  const auto [value, error] = read(R"(
[garden]
open = true
trees = 100
area = "1MiB"
pause = "100ms"
motto = "x"
map = "maps/../north.txt"
gate = "[::1]:0"
hue = "red"
birds = "wren"
age = 0
labels = { B = "1", a = "2" }
first = { name = "clay" }
[[garden.pots]]
name = "iron"
depth = 9
[[garden.pots]]
name = "tin"
)");
  CAF_CHECK_EQUAL(error, "");
  CAF_CHECK(value.open);
  CAF_CHECK_EQUAL(value.trees, 100u);
  CAF_CHECK_EQUAL(value.area, limits::mib);
  CAF_CHECK(value.pause == 100ms);
  CAF_CHECK_EQUAL(value.motto, "x");
  CAF_CHECK_EQUAL(value.map.string(), "/etc/app/north.txt");
  CAF_CHECK_EQUAL(to_string(value.gate), "[::1]:0");
  CAF_CHECK(value.hue == color::red);
  CAF_CHECK(value.birds == std::vector<std::string>{"wren"});
  CAF_CHECK_EQUAL(value.age.value_or(-1), 0);
  CAF_REQUIRE_EQUAL(value.labels.size(), 2u);
  CAF_CHECK_EQUAL(value.labels[0].first, "B"); // in the order of the file
  CAF_CHECK_EQUAL(value.first.name, "clay");
  CAF_CHECK_EQUAL(value.first.depth, 7);
  CAF_REQUIRE_EQUAL(value.pots.size(), 2u);
  CAF_CHECK_EQUAL(value.pots[0].depth, 9);
  CAF_CHECK_EQUAL(value.pots[1].name, "tin");
}

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

CAF_TEST(a broken file is refused with line and column and what was expected) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[garden]\nopne = true", "2:1: unknown key \"opne\" in [garden]; did you mean \"open\"?"},
      {"[garden.first]\nname = \"a\"\nzzz = 1",
       "3:1: unknown key \"zzz\" in [garden.pot], expected \"name\" or \"depth\""},
      {"[gardn]\n", "1:2: unknown key \"gardn\" in the file; did you mean \"garden\"?"},
      {"garden = 1", "1:10: found the integer 1, expected a table [garden]"},
      {"[[garden]]\n", "1:1: found a list of tables, expected a table [garden]"},
      {"[garden]\nopen = 1", "2:8: found the integer 1, expected true or false"},
      {"[garden]\n  trees = \"3\"",
       "2:11: found the string \"3\", expected an integer of 0 to 100"},
      {"[garden]\ntrees = 1.5", "2:9: found the number 1.500000, expected an integer of 0 to 100"},
      {"[garden]\narea = true",
       "2:8: found the boolean true, expected a size such as \"64KiB\", of 1KiB to 1MiB"},
      {"[garden]\narea = \"64KB\"",
       "2:8: found the string \"64KB\", expected a size such as \"64KiB\", of 1KiB to 1MiB"},
      {"[garden]\narea = \"2MiB\"",
       "2:8: found the string \"2MiB\", expected a size of 1KiB to 1MiB"},
      {"[garden]\npause = 5",
       "2:9: found the integer 5, expected a duration such as \"500ms\" or \"5s\", of 100ms to 1h"},
      {"[garden]\npause = \"0s\"",
       "2:9: found the string \"0s\", expected a duration of 100ms to 1h"},
      {"[garden]\nmotto = 2025-01-01", "2:9: found a date or time, expected a string without NUL"},
      {"[garden]\nmotto = \"\\u0000\"",
       "2:9: found the string \"\\u0000\", expected a string without NUL"},
      {"[garden]\ngate = \"localhost:80\"", "2:8: found the string \"localhost:80\", expected "
                                            "\"address:port\" such as \"127.0.0.1:8080\" "
                                            "or \"[::1]:8080\""},
      {"[garden]\nhue = \"blue\"", "2:7: found the string \"blue\", expected \"red\" or \"green\""},
      {"[garden]\nbirds = [\"wren\", \"\"]", "2:18: found the string \"\", expected a name of at "
                                             "most 64 letters, digits, \"-\", \"_\" and "
                                             "\".\", starting with a letter or digit"},
      {"[garden]\nlabels = { a = 1 }", "2:16: found the integer 1, expected a string without NUL"},
      {"[garden]\nlabels = []", "2:10: found a list, expected a table of strings"},
      {"[garden]\npots = {}", "2:8: found a table, expected a list of table"},
      {"[[garden.pots]]\ndepth = 1", "1:1: key \"name\" is missing in [garden.pot], expected name"},
      {"[[garden.pots]]\nname = \"a\"\nweight = 1", "3:1: pots have no weight"},
      {"[garden]\ntrees = 51", "2:9: expected open with so many trees"},
  };
  for (const auto& [text, complaint] : rows)
    CAF_CHECK_EQUAL(read(text).error, prefix + "f.toml:" + complaint);
}

CAF_TEST(text that is no TOML is refused at its place) {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"[garden]\nopen = ", "f.toml:2:8: "},
      {"[garden]\nopen = true\nopen = false", "f.toml:3:"},
      {"[garden\n", "f.toml:1:8: "},
      {"[garden]\n[garden]\n", "f.toml:2:"},
      {"[garden]\nmotto = \"abc", "f.toml:2:13: "},
      {"[garden]\nmotto = abc", "f.toml:2:9: "},
      {"\xFF", "f.toml:1:1: "},
      {"a = " + std::string(100, '['), "f.toml:1:"},
  };
  for (const auto& [text, place] : rows) {
    const auto error = read(text).error;
    CAF_MESSAGE(error);
    CAF_CHECK(error.starts_with(prefix + place));
  }
}

CAF_TEST(all complaints are told at once in the order of the file) {
  CAF_CHECK_EQUAL(
      read("[garden]\nhue = 1\nopen = 1\n[other]\n", {"garden.trees=x"}).error,
      prefix + "f.toml:2:7: found the integer 1, expected \"red\" or \"green\"\n"
               "f.toml:3:8: found the integer 1, expected true or false\n"
               "f.toml:4:2: unknown key \"other\" in the file, expected \"garden\"\n"
               "--set garden.trees: found the string \"x\", expected an integer of 0 to 100");
}

CAF_TEST(no more complaints than a person can read are told) {
  const auto count = [](size_t complaints) {
    config_report report;
    for (size_t i = 0; i < complaints; ++i)
      report.add({nullptr, 1, 1}, "x");
    return report.lines();
  };
  const auto max = limits::config::errors_max;
  CAF_CHECK_EQUAL(count(max - 1).size(), max - 1);
  CAF_CHECK_EQUAL(count(max).size(), max);
  CAF_CHECK_EQUAL(count(max + 1).size(), max + 1);
  const auto full = count(max);
  CAF_CHECK_EQUAL(full.back(), "configuration:1:1: x");
  const auto cut = count(max + 2);
  CAF_CHECK_EQUAL(cut.back(), "and 2 more");
}

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
      {"trees", "integer", "3"},
      {"area", "size", "\"64KiB\""},
      {"pause", "duration", "\"5s\""},
      {"motto", "string", "\"a \\\"b\\\"\""},
      {"map", "path", "\"\""},
      {"gate", "address", "\"127.0.0.1:80\""},
      {"hue", "\"red\" or \"green\"", "\"green\""},
      {"birds", "name or list of them", "[]"},
      {"age", "integer", ""},
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

CAF_TEST(a file has a largest size) {
  const auto text = [](size_t size) { return "#" + std::string(size - 1, 'x'); };
  const auto max = limits::config::file_bytes_max;
  CAF_CHECK_EQUAL(read(text(max - 1)).error, "");
  CAF_CHECK_EQUAL(read(text(max)).error, "");
  CAF_CHECK_EQUAL(read(text(max + 1)).error, prefix + "f.toml: expected at most 1MiB");
}

CAF_TEST(a file is loaded from its folder) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("caf_app_config_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  std::ofstream{folder / "a.toml"} << "[garden]\nmap = \"m\"\n";
  garden value;
  auto file = config_file::load(folder / "a.toml", {"garden.open=true"});
  CAF_REQUIRE(file);
  file->read("garden", garden_rule(), value);
  CAF_CHECK(!file->finish());
  CAF_CHECK_EQUAL(value.map.string(), (folder / "m").string());
  CAF_CHECK(value.open);
  const auto missing = config_file::load(folder / "b.toml");
  CAF_REQUIRE(!missing);
  CAF_CHECK(describe(missing.error()).find("b.toml: ") != std::string::npos);
  CAF_CHECK(!config_file::load(folder));
  std::filesystem::remove_all(folder);
}

#define CAF_SUITE config
#include "caf_app/base/config.hpp"

#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/limits.hpp"
#include "support/garden_config.hpp"

using namespace garden_config;

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

CAF_TEST(what the parser asserts is refused at its place) {
  const std::string complaint = ": found no TOML value";
  CAF_CHECK_EQUAL(read("[garden]\nbirds = [}\n\n").error, prefix + "f.toml:2:10" + complaint);
  CAF_CHECK_EQUAL(read("a = [1,\n}]\n").error, prefix + "f.toml:2:1" + complaint);
  CAF_CHECK_EQUAL(read("", {"garden.motto=[}"}).value.motto, "[}");
}

CAF_TEST(a key of a million dots is refused before it takes the stack) {
  const auto dots = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i)
      text += ".a";
    return text;
  };
  CAF_CHECK_EQUAL(read("\na" + dots(500'000) + " = 1").error,
                  prefix + "f.toml:2:514: found too many dots");
  CAF_CHECK_EQUAL(read("a" + dots(256) + " = 1").error, prefix + "f.toml: nested too deeply");
  CAF_CHECK_EQUAL(read("a = 1\n'x'" + dots(257) + " = 1").error,
                  prefix + "f.toml:2:516: found too many dots");
  // Dots of strings and comments are nobody's tables.
  const auto many = dots(1000);
  for (const auto& text : {"motto = \"\\\"" + many + "\"", "motto = '" + many + "'",
                           "motto = \"\"\"\"\n" + many + "\"\"\"", "motto = '''\n'" + many + "'''",
                           "# " + many + "\n#"})
    CAF_CHECK_EQUAL(read("[garden]\n" + text).error, "");
}

CAF_TEST(letters above ASCII are for strings and comments) {
  for (const std::string letter :
       {"\xc3\xa4", "\xe2\x80\x9c", "\xef\xbc\xa1", "\xf0\x9f\x98\x80"}) {
    for (const auto& broken : {"n" + letter + "me = 1", "a = " + letter, "a = 1 " + letter,
                               "a = \"\"\"x\\" + letter + "\"\"\""})
      CAF_CHECK(read("\n" + broken).error.starts_with(prefix + "f.toml:2:"));
    CAF_CHECK_EQUAL(read("# " + letter + "\n").error, "");
  }
  CAF_CHECK_EQUAL(read("\xEF\xBB\xBF# a byte order mark\n").error, "");
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

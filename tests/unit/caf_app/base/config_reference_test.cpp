#define CAF_SUITE config_reference
#include "caf_app/base/config_reference.hpp"

#include <caf/test/unit_test.hpp>

#include "support/garden_config.hpp"

using namespace garden_config;

namespace {

std::string reference() {
  return to_markdown({{"garden", "table", "", "a place for plants", garden_rule().keys}});
}

bool has_line(const std::string& line) {
  return reference().find("\n" + line + "\n") != std::string::npos;
}

} // namespace

CAF_TEST(every key has a row with type and default and range and meaning) {
  CAF_CHECK(has_line("## `[garden]`: a place for plants"));
  CAF_CHECK(has_line("| `trees` | integer of 0 to 100 | `3` | apple trees |"));
  CAF_CHECK(has_line("| `area` | size of 1KiB to 1MiB | `\"64KiB\"` | size |"));
  CAF_CHECK(has_line("| `pause` | duration of 100ms to 1h | `\"5s\"` | nap |"));
  CAF_CHECK(has_line("| `age` | integer of 0 to 500 |  | years |"));
}

CAF_TEST(tables inside of a section have headings as they are written) {
  CAF_CHECK(has_line("| `first` | `[garden.first]`, below |  | a pot |"));
  CAF_CHECK(has_line("| `pots` | `[[garden.pots]]`, below |  | more pots |"));
  CAF_CHECK(has_line("## `[garden.first]`: a pot"));
  CAF_CHECK(has_line("## `[[garden.pots]]`: more pots"));
  CAF_CHECK(has_line("| `name` | name | required | its name |"));
}

CAF_TEST(a bar does not end a cell) {
  const config_key key{"k", "a|b", "\"|\"", "x|y", {}};
  const config_key section{"s", "table", "", "of bars", {key}};
  CAF_CHECK_NOT_EQUAL(to_markdown({section}).find("| `k` | a\\|b | `\"\\|\"` | x\\|y |\n"),
                      std::string::npos);
}

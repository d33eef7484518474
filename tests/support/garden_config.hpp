// A configuration section that exists for tests only: every kind of rule once, and how to read it.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caf_app/base/config_schema.hpp"
#include "support/config_reading.hpp"

namespace garden_config {

using namespace caf_app;
using namespace std::chrono_literals;

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

inline config_rule<pot> pot_rule() {
  config_schema<pot> schema{"garden.pot"};
  schema.key("name", &pot::name, as_name(), "its name", config_presence::required)
      .key("depth", &pot::depth, as_integer(1, 9), "in inches")
      .refused("weight", [](const config_value&) { return std::string{"pots have no weight"}; });
  return as_table(std::move(schema));
}

inline config_rule<garden> garden_rule() {
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

using reading = caf_app::test::config_reading<garden>;

inline reading read(std::string_view text, const std::vector<std::string>& overrides = {}) {
  return caf_app::test::read_config<garden>(
      text, overrides, [](auto& file, auto& out) { file.read("garden", garden_rule(), out); });
}

inline const std::string prefix = "invalid configuration: ";

} // namespace garden_config

// A section of a configuration as data: one row per key with the member it fills, its rule and its
// meaning. The same table reads a section, refuses unknown keys with a hint, and yields the rows of
// the reference; defaults are those of the struct that it fills.
//
//   config_schema<log_config> schema{"log"};
//   schema.key("level", &log_config::level, as_choice<...>(...), "lines below it are dropped");
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caf_app/base/config_compound_rule.hpp"

namespace caf_app {

/// Complains about the members of `table` that are not among `known`.
/// @param title what people call the table, such as "[http.limits]"
void refuse_unknown_keys(const config_value& table, const std::string& title,
                         const std::vector<std::string>& known, config_report& report);

/// The end of a complaint about `key`: the nearest of `known`, else all of them if they are few.
std::string unknown_key_hint(std::string_view key, const std::vector<std::string>& known);

/// Whether a key may be missing.
enum class config_presence { optional, required };

/// The keys of a table that fills a T, which has to be default constructible: its members are the
/// defaults. Built once, then read from any thread.
template <class T>
class config_schema {
public:
  using check_type = std::function<void(const config_value& table, T& out, config_report& report)>;

  /// @param title what people call the section: "http.limits" without brackets
  explicit config_schema(std::string title) : title_("[" + std::move(title) + "]") {}

  /// @param member a pointer to a member of T, or a function from `T&` to the place to fill
  template <class Member, class V>
  config_schema& key(std::string name, Member member, config_rule<V> rule, std::string meaning,
                     config_presence presence = config_presence::optional) {
    T fallback{};
    const auto optional = presence == config_presence::optional;
    config_key doc{name, rule.type,
                   optional ? rule.format(std::invoke(member, fallback)) : "required",
                   std::move(meaning), rule.keys};
    rows_.push_back({std::move(doc), presence,
                     [member, rule](const config_value& value, T& out, config_report& report) {
                       rule.read(value, std::invoke(member, out), report);
                     }});
    return *this;
  }

  /// A key that people may look for, but that is refused.
  /// @param why the whole complaint, from the table that the key stands in
  config_schema& refused(std::string name,
                         std::function<std::string(const config_value& table)> why) {
    refused_.emplace_back(std::move(name), std::move(why));
    return *this;
  }

  /// What no single key can tell: relations between keys. Runs after the keys were read, whether
  /// there were complaints or not.
  config_schema& check(check_type check) {
    checks_.push_back(std::move(check));
    return *this;
  }

  /// Fills what is written, leaves the rest, complains about everything else.
  void read(const config_value& value, T& out, config_report& report) const {
    if (!value.as_table()) {
      expected_other(value, "a table " + title_, report);
      return;
    }
    std::vector<std::string> known;
    for (const auto& row : rows_) {
      known.push_back(row.doc.name);
      if (const auto* member = value.find(row.doc.name))
        row.read(*member, out, report);
      else if (row.presence == config_presence::required)
        report.add(value.at, "key \"" + row.doc.name + "\" is missing in " + title_ +
                                 ", expected " + row.doc.type);
    }
    for (const auto& [name, why] : refused_)
      if (const auto* member = value.find_member(name)) {
        report.add(member->at, why(value));
        known.push_back(name);
      }
    refuse_unknown_keys(value, title_, known, report);
    for (const auto& check : checks_)
      check(value, out, report);
  }

  /// The rows of the reference, in the order of key().
  std::vector<config_key> keys() const {
    std::vector<config_key> result;
    for (const auto& row : rows_)
      result.push_back(row.doc);
    return result;
  }

private:
  struct row {
    config_key doc;
    config_presence presence;
    std::function<void(const config_value&, T&, config_report&)> read;
  };

  std::string title_;
  std::vector<row> rows_;
  std::vector<std::pair<std::string, std::function<std::string(const config_value&)>>> refused_;
  std::vector<check_type> checks_;
};

/// The rule for a table that `schema` describes.
template <class T>
config_rule<T> as_table(config_schema<T> schema) {
  config_rule<T> rule;
  rule.type = "table";
  rule.keys = schema.keys();
  rule.read = [schema](const config_value& value, T& out, config_report& report) {
    const auto before = report.size();
    schema.read(value, out, report);
    return report.size() == before;
  };
  rule.format = [](const T&) { return std::string{}; };
  return rule;
}

} // namespace caf_app

#include "caf_app/base/config_schema.hpp"

#include <algorithm>

#include "caf_app/base/nearest.hpp"

namespace caf_app {

namespace {

constexpr size_t listed_max = 12; // more candidates than that help nobody

} // namespace

std::string unknown_key_hint(std::string_view key, const std::vector<std::string>& known) {
  if (const auto near = nearest(key, known))
    return "; did you mean \"" + *near + "\"?";
  if (known.empty() || known.size() > listed_max)
    return {};
  std::vector<std::string> quoted;
  for (const auto& word : known)
    quoted.push_back(toml_quoted(word));
  return ", expected " + alternatives(quoted);
}

void refuse_unknown_keys(const config_value& table, const std::string& title,
                         const std::vector<std::string>& known, config_report& report) {
  for (const auto& member : *table.as_table())
    if (std::find(known.begin(), known.end(), member.key) == known.end())
      report.add(member.at, "unknown key " + toml_quoted(member.key) + " in " + title +
                                unknown_key_hint(member.key, known));
}

} // namespace caf_app

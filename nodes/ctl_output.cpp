#include "nodes/ctl_output.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <boost/json.hpp>

namespace caf_app {

namespace json = boost::json;

namespace {

constexpr double bytes_per_mib = 1024 * 1024;

/// As a person would write it; what is not known, or does not apply, is "-".
std::string cell(const json::value& value) {
  if (const auto* text = value.if_string())
    return std::string{*text};
  if (const auto* truth = value.if_bool())
    return *truth ? "yes" : "no";
  if (value.is_null())
    return "-";
  std::string words;
  if (const auto* list = value.if_array())
    for (const auto& each : *list)
      words += (words.empty() ? "" : each.is_object() ? ", " : ",") + cell(each);
  if (const auto* members = value.if_object())
    for (const auto& [key, member] : *members)
      words += (words.empty() ? "" : " ") + std::string{key} + " " + cell(member);
  if (value.is_structured())
    return words.empty() ? "-" : words;
  if (const auto* number = value.if_double()) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g", *number);
    return text;
  }
  return json::serialize(value);
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string age_of(int64_t ms) {
  if (ms < 60'000)
    return std::to_string(ms / 1000) + "s";
  if (ms < 3'600'000)
    return std::to_string(ms / 60'000) + "m";
  return std::to_string(ms / 3'600'000) + "h";
}

std::string tree_line(const json::object& entry) {
  const std::string path{entry.at("path").as_string()};
  const auto depth = static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
  auto line = std::string(2 * depth, ' ') + path.substr(path.rfind('/') + 1);
  line = padded(std::move(line), 40) + ' ' + padded(cell(entry.at("state")), 10) + " #" +
         cell(entry.at("actor")) + "  up " + age_of(entry.at("uptime_ms").to_number<int64_t>());
  if (const auto restarts = entry.at("restarts").to_number<int64_t>(); restarts > 0)
    line += "  restarts " + std::to_string(restarts);
  if (const auto& end = entry.at("last_end").as_string(); !end.empty())
    line += "  last end: " + std::string{end};
  return line + "\n";
}

struct decision_line {
  std::string at;
  std::string text;
  std::string until; ///< when it was the same for the last time
  size_t count;
};

/// All but the time.
std::string text_of_decision(const json::object& x) {
  auto reason = cell(x.at("reason"));
  const auto action = cell(x.at("action"));
  if (reason == "pinned" && action == "hold")
    reason += " at " + cell(x.at("to"));
  auto result = padded(cell(x.at("target")), 12) + "  " + padded(action, 9) + "  " +
                cell(x.at("from")) + " -> " + cell(x.at("to")) + "  " +
                padded(cell(x.at("verdict")), 14) + "  " + reason;
  if (const auto& rule = x.at("held_by"); rule.is_string())
    result += "  held by " + cell(rule);
  return result;
}

} // namespace

std::string to_table(const json::value& value) {
  const auto* rows = value.if_array();
  if (!rows)
    return json::serialize(value) + "\n";
  if (rows->empty())
    return "none\n";
  if (!rows->front().is_object())
    return json::serialize(value) + "\n";
  std::vector<std::string> headings;
  for (const auto& row : *rows) // some rows have more to say than others
    for (const auto& [key, member] : row.as_object())
      if (std::find(headings.begin(), headings.end(), std::string{key}) == headings.end())
        headings.emplace_back(key);
  std::vector<std::vector<std::string>> lines{headings};
  for (const auto& row : *rows) {
    auto& line = lines.emplace_back();
    for (const auto& heading : headings) {
      const auto* member = row.as_object().if_contains(heading);
      line.push_back(member ? cell(*member) : "");
    }
  }
  std::string result;
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      size_t width = 0;
      for (const auto& other : lines)
        width = std::max(width, other[i].size());
      text += i + 1 < line.size() ? padded(line[i], width) + "  " : line[i];
    }
    result += text + "\n";
  }
  return result;
}

std::string to_tree(const json::value& entries, size_t siblings_max) {
  std::string result;
  std::map<std::string, size_t> shown; // per parent
  std::map<std::string, size_t> hidden;
  for (const auto& value : entries.as_array()) {
    const auto& entry = value.as_object();
    const std::string path{entry.at("path").as_string()};
    const auto slash = path.rfind('/');
    const auto parent = slash == path.npos ? std::string{} : path.substr(0, slash);
    if (++shown[parent] <= siblings_max)
      result += tree_line(entry);
    else
      ++hidden[parent];
  }
  for (const auto& [parent, count] : hidden)
    result += "and " + std::to_string(count) + " more below " + parent + "\n";
  return result;
}

std::string to_facts(const json::value& object) {
  std::string result;
  for (const auto& [key, member] : object.as_object())
    result += padded(std::string{key}, 14) + cell(member) + "\n";
  return result;
}

std::string to_instances(const json::value& scaler) {
  json::array rows;
  const auto* state = scaler.if_object();
  const auto* list = state ? state->if_contains("instances") : nullptr;
  if (list && list->is_array())
    for (const auto& each : list->as_array()) {
      const auto& x = each.as_object();
      const auto unseen = x.at("sample_age_ms").to_number<double>() < 0;
      const auto seen = [&](const char* key) { // an older node tells less
        const auto* member = unseen ? nullptr : x.if_contains(key);
        return member ? *member : json::value{};
      };
      rows.push_back({{"instance", x.at("name")},
                      {"pid", x.at("incarnation")},
                      {"state", x.at("state")},
                      {"connections", seen("connections")},
                      {"in_flight", seen("in_flight")},
                      {"busy", seen("busy")},
                      {"rss_mib", unseen ? json::value{}
                                         : json::value(x.at("rss_bytes").to_number<double>() /
                                                       bytes_per_mib)}});
    }
  return to_table(rows);
}

std::string to_decisions(const json::value& array, bool all) {
  std::vector<decision_line> lines;
  std::map<std::string, size_t> last; // of a target
  for (const auto& each : array.as_array()) {
    const auto& x = each.as_object();
    const auto target = cell(x.at("target"));
    decision_line line{cell(x.at("at")), text_of_decision(x), "", 1};
    const auto before = last.find(target);
    if (!all && before != last.end() && cell(x.at("action")) == "hold" &&
        lines[before->second].text == line.text) {
      ++lines[before->second].count;
      lines[before->second].until = line.at;
      continue;
    }
    last[target] = lines.size();
    lines.push_back(std::move(line));
  }
  std::string result;
  for (const auto& line : lines)
    result +=
        line.at + "  " + line.text +
        (line.count == 1 ? "" : "  x " + std::to_string(line.count) + " until " + line.until) +
        "\n";
  return result;
}

} // namespace caf_app

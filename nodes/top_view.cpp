#include "nodes/top_view.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>

namespace caf_app {

namespace {

constexpr size_t gap = 2;
constexpr size_t name_columns_max = 24;
const char* const unknown = "-";

std::string printed(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string rate_of(const std::optional<double>& value) {
  if (!value)
    return unknown;
  if (*value >= 1e6)
    return printed("%.1fM", *value / 1e6);
  if (*value >= 1e4)
    return printed("%.1fk", *value / 1e3);
  return printed(*value >= 10 || *value == 0 ? "%.0f" : "%.1f", *value);
}

std::string time_of(const std::optional<double>& seconds) {
  if (!seconds)
    return unknown;
  const auto ms = *seconds * 1e3;
  return ms >= 1e4 ? printed("%.1fs", *seconds) : printed(ms >= 10 ? "%.0fms" : "%.1fms", ms);
}

std::string count_of(const std::optional<uint64_t>& value) {
  return value ? std::to_string(*value) : unknown;
}

std::string age_of(const std::optional<uint64_t>& ms) {
  if (!ms)
    return unknown;
  const auto seconds = *ms / 1000;
  if (seconds < 60)
    return std::to_string(seconds) + "s";
  if (seconds < 3600)
    return std::to_string(seconds / 60) + "m";
  return seconds < 48 * 3600 ? std::to_string(seconds / 3600) + "h"
                             : std::to_string(seconds / 86'400) + "d";
}

/// What others chose goes to a terminal: no control bytes.
std::string clean(std::string text) {
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text.empty() ? unknown : text;
}

struct column {
  const char* heading;
  int dropped; ///< when room is scarce the largest goes first; 0 stays
  bool left;
  std::function<std::string(const top_row&)> text;
};

std::vector<column> all_columns() {
  return {
      {"NODE", 0, true, [](const top_row& x) { return clean(x.node).substr(0, name_columns_max); }},
      {"STATE", 1, true, [](const top_row& x) { return clean(x.state); }},
      {"REQ/S", 2, false, [](const top_row& x) { return rate_of(x.requests_per_second); }},
      {"P99", 3, false, [](const top_row& x) { return time_of(x.p99_seconds); }},
      {"CONN", 7, false, [](const top_row& x) { return count_of(x.connections); }},
      {"INST", 4, false, [](const top_row& x) { return count_of(x.instances); }},
      {"VERDICT", 6, true, [](const top_row& x) { return clean(x.verdict); }},
      {"EVALQ", 5, false, [](const top_row& x) { return count_of(x.eval_waiting); }},
      {"UP", 8, false, [](const top_row& x) { return age_of(x.uptime_ms); }},
  };
}

struct laid_out {
  column what;
  size_t width;
};

std::vector<laid_out> lay_out(const std::vector<top_row>& rows, size_t width) {
  std::vector<laid_out> result;
  for (auto& each : all_columns()) {
    auto widest = std::string_view{each.heading}.size();
    for (const auto& row : rows)
      widest = std::max(widest, each.text(row).size());
    result.push_back({std::move(each), widest});
  }
  const auto total = [&] {
    size_t sum = 0;
    for (const auto& each : result)
      sum += each.width + (sum > 0 ? gap : 0);
    return sum;
  };
  while (result.size() > 1 && total() > width)
    result.erase(std::max_element(result.begin(), result.end(), [](const auto& a, const auto& b) {
      return a.what.dropped < b.what.dropped;
    }));
  return result;
}

std::string line_of(const std::vector<laid_out>& columns,
                    const std::function<std::string(const column&)>& cell, size_t width) {
  std::string result;
  for (const auto& each : columns) {
    const auto text = cell(each.what);
    const std::string pad(each.width - std::min(each.width, text.size()), ' ');
    result += std::string(result.empty() ? 0 : gap, ' ');
    result += each.what.left ? text + pad : pad + text;
  }
  result.erase(std::min(result.find_last_not_of(' ') + 1, width));
  return result + "\n";
}

std::string summary(const top_view& view, size_t width) {
  double rate = 0;
  uint64_t waiting = 0;
  for (const auto& row : view.rows) {
    rate += row.requests_per_second.value_or(0);
    waiting += row.eval_waiting.value_or(0);
  }
  auto text = view.title + "  " + std::to_string(view.rows.size()) +
              (view.rows.size() == 1 ? " node  " : " nodes  ") + rate_of(rate) +
              " req/s  eval queue " + std::to_string(waiting);
  return clean(std::move(text)).substr(0, width) + "\n";
}

} // namespace

std::string to_screen(const top_view& view, size_t width, size_t height) {
  constexpr size_t lines_above = 3;
  auto result = summary(view, width);
  if (height <= lines_above)
    return height == 0 ? std::string{} : result;
  const auto columns = lay_out(view.rows, width);
  result += "\n" + line_of(
                       columns, [](const column& x) { return std::string{x.heading}; }, width);
  const auto room = height - lines_above;
  const auto shown = view.rows.size() > room ? room - 1 : view.rows.size();
  for (size_t i = 0; i < shown; ++i)
    result += line_of(
        columns, [&](const column& x) { return x.text(view.rows[i]); }, width);
  if (shown < view.rows.size())
    result += ("and " + std::to_string(view.rows.size() - shown) + " more").substr(0, width) + "\n";
  return result;
}

} // namespace caf_app

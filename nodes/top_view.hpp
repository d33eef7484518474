// What `caf-ctl top` shows, as text for a terminal of any width: a line that sums up, and a table
// of nodes. Knows neither terminals nor nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf_app {

/// A node; what is not known of it is empty.
struct top_row {
  std::string node;
  std::string state;                         ///< "serving", "up", "down", ...
  std::optional<double> requests_per_second; ///< since the look before
  std::optional<double> p99_seconds;         ///< nothing without requests
  std::optional<uint64_t> connections;       ///< open, of all instances
  std::optional<uint64_t> instances;         ///< that are ready; nothing if the node scales nothing
  std::string verdict;                       ///< of its scaler
  std::optional<uint64_t> eval_waiting;      ///< calls; nothing without an evaluator in the node
  std::optional<uint64_t> uptime_ms;
};

struct top_view {
  std::string title; ///< of the first line, such as the time
  std::vector<top_row> rows;
};

/// Lines of at most `width` columns, `height` of them or fewer. A narrow terminal shows fewer
/// columns, the least important ones first; a low one fewer nodes, and a line that says so.
std::string to_screen(const top_view& view, size_t width, size_t height);

} // namespace caf_app

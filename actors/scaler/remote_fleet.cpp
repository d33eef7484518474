#include "actors/scaler/remote_fleet.hpp"

#include <algorithm>

#include <boost/json.hpp>

namespace caf_app::scaler {

namespace json = boost::json;

bool remote_fleet::take(std::string_view report, scaler_board& board, steady::time_point now) {
  auto read = parse_report(report, now);
  if (!read)
    return false;
  last_ = std::move(*read);
  board.configure(board.options(), last_.max_instances);
  return !board.pin(last_.pin);
}

void remote_fleet::show(const scaler_board& board) {
  if (!speak_)
    return;
  json::array lines;
  for (const auto& line : board.decisions_since(shown_))
    lines.emplace_back(line);
  speak_({"show", json::serialize(json::object{{"state", board.state()}, {"lines", lines}})});
}

void remote_fleet::order(const std::string& method, const std::string& name, int64_t number) const {
  if (speak_)
    speak_({method, json::serialize(json::object{{"name", name}, {"number", number}})});
}

void remote_fleet::launch() { order("launch", {}); }

void remote_fleet::retire(const std::string& name) { order("retire", name); }

void remote_fleet::revoke(const std::string& name) { order("revoke", name); }

void remote_fleet::replace(const std::string& name) { order("replace", name); }

void remote_fleet::nudge(const std::string& name, size_t count) {
  order("nudge", name, static_cast<int64_t>(count));
}

void remote_fleet::attract(const std::string& name, std::chrono::milliseconds window) {
  order("attract", name, window.count());
}

} // namespace caf_app::scaler

#include "actors/scaler/scaler_board.hpp"

#include <algorithm>

#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

scaler_board::scaler_board(const scaler_options& options, size_t max_instances)
    : options_(options), max_(max_instances) {}

scaler_options scaler_board::options() const {
  const std::lock_guard guard{mutex_};
  return options_;
}

size_t scaler_board::max_instances() const {
  const std::lock_guard guard{mutex_};
  return max_;
}

void scaler_board::configure(const scaler_options& options, size_t max_instances) {
  const std::lock_guard guard{mutex_};
  options_ = options;
  max_ = max_instances;
  if (pin_ && *pin_ > max_)
    pin_ = max_;
}

caf::error scaler_board::pin(std::optional<size_t> count) {
  const std::lock_guard guard{mutex_};
  if (count && (*count < 1 || *count > max_))
    return caf::make_error(errc::invalid_argument, "found " + std::to_string(*count) +
                                                       " instances, expected 1 to " +
                                                       std::to_string(max_) + ", or auto");
  pin_ = count;
  return caf::none;
}

std::optional<size_t> scaler_board::pinned() const {
  const std::lock_guard guard{mutex_};
  return pin_;
}

void scaler_board::show(std::string state, std::vector<std::string> lines) {
  const std::lock_guard guard{mutex_};
  state_ = std::move(state);
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  count_ += lines.size();
  if (lines_.size() > decision_log::lines_max)
    lines_.erase(lines_.begin(),
                 lines_.begin() + static_cast<ptrdiff_t>(lines_.size() - decision_log::lines_max));
}

std::string scaler_board::state() const {
  const std::lock_guard guard{mutex_};
  return state_;
}

std::string scaler_board::decisions() const {
  const std::lock_guard guard{mutex_};
  std::string result = "[";
  for (const auto& line : lines_)
    result += (result.size() > 1 ? "," : "") + line;
  return result + "]";
}

std::vector<std::string> scaler_board::decisions_since(uint64_t& seen) const {
  const std::lock_guard guard{mutex_};
  const auto fresh = std::min<uint64_t>(count_ - std::min(seen, count_), lines_.size());
  seen = count_;
  return {lines_.end() - static_cast<ptrdiff_t>(fresh), lines_.end()};
}

} // namespace caf_app::scaler

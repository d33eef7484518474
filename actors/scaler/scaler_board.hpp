// What of a scaler outlives its actor, and what others may ask without a message: the pin, the
// decisions, the present state as JSON. Thread safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <caf/error.hpp>

#include "actors/scaler/decision_log.hpp"
#include "actors/scaler/scaler_options.hpp"

namespace caf_app::scaler {

class scaler_board {
public:
  scaler_board(const scaler_options& options, size_t max_instances);

  scaler_options options() const;
  size_t max_instances() const;

  /// From a reload. A pin beyond the new maximum becomes the maximum.
  void configure(const scaler_options& options, size_t max_instances);

  /// @param count 1 to max_instances(); nothing: automatic. @returns errc::invalid_argument beyond
  caf::error pin(std::optional<size_t> count);
  std::optional<size_t> pinned() const;

  /// @param state a JSON object
  /// @param lines that are new in the log, oldest first, a JSON object each
  void show(std::string state, std::vector<std::string> lines);

  /// What was shown last, `{}` before.
  std::string state() const;

  /// A JSON array of the last decisions, oldest first, at most decision_log::lines_max.
  std::string decisions() const;

  /// The lines after the first `seen` of all that were ever shown, as far as they are kept.
  /// @param seen becomes the count of all
  std::vector<std::string> decisions_since(uint64_t& seen) const;

private:
  mutable std::mutex mutex_;
  scaler_options options_;
  size_t max_;
  std::optional<size_t> pin_;
  std::string state_ = "{}";
  std::vector<std::string> lines_;
  uint64_t count_ = 0; // of lines ever shown
};

} // namespace caf_app::scaler

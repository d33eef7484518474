// Collects what is wrong with a configuration, so that one run shows all of it, and carries what
// the reading of a value may need: the folder that relative paths start from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <caf/error.hpp>

#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// The complaints about one file. One thread.
class config_report {
public:
  /// @param folder where relative paths start; empty: they stay as they are
  explicit config_report(std::filesystem::path folder = {}) : folder_(std::move(folder)) {}

  /// @param text what was found and what was expected; no position, no full stop
  void add(const config_position& at, std::string text);

  /// Whether nothing is wrong so far.
  bool empty() const { return complaints_.empty(); }
  /// How many complaints there are, those that lines() only counts included.
  size_t size() const { return complaints_.size(); }

  /// "file:line:column: text" each, in the order of the file, options last; at most
  /// limits::config::errors_max, then one line that counts the rest.
  std::vector<std::string> lines() const;

  /// @returns no error if nothing was added, else errc::invalid_config with one line per complaint
  caf::error to_error() const;

  /// The folder of the configuration file.
  const std::filesystem::path& folder() const { return folder_; }

private:
  struct complaint {
    config_position at;
    std::string text;
  };

  std::filesystem::path folder_;
  std::vector<complaint> complaints_;
};

} // namespace caf_app

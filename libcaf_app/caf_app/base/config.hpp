// Reads a cluster file (TOML) together with the `--set` options of a command line. Each room reads
// its own sections; what nobody has read is refused at the end:
//
//   auto file = config_file::load("cluster.toml", {"http.loops=2"});
//   file->read("http", http_config_rule(), http);
//   if (auto err = file->finish()) ... // errc::invalid_config, one line per complaint
//
// The file is the only thing that this touches; the environment is not consulted.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <caf/error.hpp>
#include <caf/expected.hpp>

#include "caf_app/base/config_rule.hpp"

namespace caf_app {

/// A file that was parsed, and who has read what of it. Movable; one thread.
class config_file {
public:
  /// Reads `path`, at most limits::config::file_bytes_max bytes.
  /// @param overrides `key=value` each: a dotted key and a TOML value, else taken as a string
  /// @returns errc::invalid_config: not readable, or the first thing that is no TOML
  static caf::expected<config_file> load(const std::filesystem::path& path,
                                         const std::vector<std::string>& overrides = {});

  /// The same for text in memory.
  /// @param source what complaints call it
  /// @param folder where relative paths start
  static caf::expected<config_file> parse(std::string_view text, std::string source,
                                          std::filesystem::path folder,
                                          const std::vector<std::string>& overrides = {});

  /// Reads the top-level key or table `section`, if there is one; complaints show up in `finish`.
  template <class T>
  void read(const std::string& section, const config_rule<T>& rule, T& out) {
    known_.push_back(section);
    if (const auto* value = root_.find(section))
      rule.read(*value, out, report_);
  }

  /// @returns the value of a top-level key, for relations between sections; else nullptr
  const config_value* find(const std::string& section) const { return root_.find(section); }

  /// The whole file with its overrides, as it is written.
  const config_value& root() const { return root_; }

  /// Where such relations complain.
  config_report& report() { return report_; }

  /// Refuses the sections that nobody read.
  /// @returns everything that is wrong with the file
  caf::error finish();

private:
  config_file(config_value root, std::filesystem::path folder)
      : root_(std::move(root)), report_(std::move(folder)) {}

  config_value root_;
  config_report report_;
  std::vector<std::string> known_;
};

} // namespace caf_app

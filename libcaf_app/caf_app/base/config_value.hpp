// What a configuration holds after parsing: a tree of values that know where they were written, so
// that every complaint can name file, line and column, or the command line option. Keys stay in the
// order of the file.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace caf_app {

/// Where a value was written.
struct config_position {
  std::shared_ptr<const std::string> source; ///< name of the file, or the option; may be null
  uint32_t line = 0;                         ///< from 1; 0: the source is an option, not a file
  uint32_t column = 0;                       ///< from 1
};

/// "cluster.toml:3:14", or "--set http.loops".
std::string to_string(const config_position& at);

struct config_member;

/// A value with its position; a table unless it was given something else.
struct config_value {
  struct date {}; ///< TOML knows dates and times, we have no use for them
  using array = std::vector<config_value>;
  using table = std::vector<config_member>;

  /// The value as one type: null if it has another.
  const array* as_array() const { return std::get_if<array>(&data); }
  const table* as_table() const { return std::get_if<table>(&data); }
  table* as_table() { return std::get_if<table>(&data); }
  template <class T>
  const T* as() const {
    return std::get_if<T>(&data);
  }

  /// @returns the value of the member `key` of a table, else nullptr
  const config_value* find(std::string_view key) const;

  /// The same with the position of the key.
  const config_member* find_member(std::string_view key) const;

  std::variant<bool, int64_t, double, std::string, date, array, table> data = table{};
  config_position at;
};

/// A key and its value.
struct config_member {
  std::string key;
  config_position at; ///< of the key
  config_value value;
};

/// What was found, for people: `the string "abc"`, `the integer 7`, `an array`.
std::string describe(const config_value& value);

} // namespace caf_app

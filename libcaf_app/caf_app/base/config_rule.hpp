// How the value of a key is read: a rule per kind of value (boolean, count, size, duration, text,
// path, address; config_compound_rule.hpp makes choices and lists of them). A rule converts, checks
// the range, complains with position, and prints a value as one would write it, which is how the
// reference shows defaults.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caf_app/base/address.hpp"
#include "caf_app/base/config_report.hpp"
#include "caf_app/base/config_value.hpp"

namespace caf_app {

/// A row of the reference: what a person has to know about a key.
struct config_key {
  std::string name;
  std::string type;     ///< "size", "duration", "list of addresses", "table"
  std::string fallback; ///< default as written in TOML; "required" without one
  std::string meaning;
  std::vector<config_key> keys; ///< of a table, or of each table of a list
};

/// How a value of type T is read and printed.
template <class T>
struct config_rule {
  using value_type = T;

  std::string type; ///< for config_key::type
  /// Assigns `out`, or complains and leaves it alone. @returns whether it was assigned
  std::function<bool(const config_value& value, T& out, config_report& report)> read;
  std::function<std::string(const T& value)> format; ///< as TOML
  std::vector<config_key> keys = {};                 ///< when the value is a table
};

/// Complains `found X, expected Y` at the value. @returns false, to be returned by a rule
bool expected_other(const config_value& value, std::string_view wanted, config_report& report);

/// `true` or `false`, without quotes.
config_rule<bool> as_boolean();

/// An integer of `min` .. `max`.
config_rule<int64_t> as_integer(int64_t min, int64_t max);

/// A string with unit, or plain bytes, of `min` .. `max`.
config_rule<uint64_t> as_size(uint64_t min, uint64_t max);

/// A string with unit of `min` .. `max`.
config_rule<std::chrono::milliseconds> as_duration(std::chrono::milliseconds min,
                                                   std::chrono::milliseconds max);

/// Any string without NUL.
config_rule<std::string> as_text();

/// A string that is never repeated in a complaint, of at least `bytes_min` bytes or empty.
config_rule<std::string> as_secret(size_t bytes_min);

/// Letters, digits, `-`, `_`, `.`, starting with a letter or digit; see limits::config.
config_rule<std::string> as_name();

/// A path; a relative one starts at the folder of the configuration file. Empty stays empty.
config_rule<std::filesystem::path> as_path();

/// Any host and a port above 0.
config_rule<host_port> as_peer_address();

/// An IPv4 address or an IPv6 address in brackets, and a port; 0 lets the system pick one.
config_rule<host_port> as_listen_address();

/// A table of strings, in the order of the file.
config_rule<std::vector<std::pair<std::string, std::string>>> as_string_map();

/// Quoted and escaped as a TOML basic string.
std::string toml_quoted(std::string_view text);

} // namespace caf_app

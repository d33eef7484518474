// The log of a node: one line per event on stderr, as text or as JSON. A line says who speaks (the
// path of an actor in the supervision tree and its id), what happened, and the facts as fields. One
// line is one write(), so that lines of several processes on one descriptor do not mix; bytes of a
// peer can neither break a line nor the JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "caf_app/base/time.hpp"

namespace caf_app {

/// How a line is written: for people, or as one JSON object.
enum class log_format { text, json };

/// Ordered by weight; `off` is for options only.
enum class log_level { debug, info, warning, error, off };

/// As written in the configuration: "text", "json".
std::string to_string(log_format);
/// As written in the configuration and on each line: "debug", "info", ...
std::string to_string(log_level);

/// Who speaks. The views need to live during the call only.
struct log_speaker {
  std::string_view name; ///< path in the supervision tree, or the name of the actor
  uint64_t id = 0;       ///< CAF's actor id; 0: not an actor
};

/// @param self an actor: anything with `name()` and `id()`
template <class Actor>
log_speaker speaker_of(const Actor* self) {
  return {self->name(), self->id()};
}

/// One fact of a line.
struct log_field {
  /// What the value is; it is kept by value, a text as a view.
  enum class kind { text, integer, unsigned_integer, real, boolean };

  /// @param value text has to live during the call of the logger only
  log_field(std::string_view key, std::string_view value) : key(key), text(value) {}
  log_field(std::string_view key, const char* value) : key(key), text(value) {}
  log_field(std::string_view key, const std::string& value) : key(key), text(value) {}
  template <std::same_as<bool> Bool>
  log_field(std::string_view key, Bool value) : key(key), type(kind::boolean), integer(value) {}
  template <std::floating_point Real>
  log_field(std::string_view key, Real value) : key(key), type(kind::real), real(value) {}
  template <std::signed_integral Int>
  log_field(std::string_view key, Int value) : key(key), type(kind::integer), integer(value) {}
  template <std::unsigned_integral Int>
  requires(!std::same_as<Int, bool>) log_field(std::string_view key, Int value)
      : key(key), type(kind::unsigned_integer), integer(static_cast<int64_t>(value)) {}

  std::string_view key; ///< an identifier, from the source code
  kind type = kind::text;
  std::string_view text;
  int64_t integer = 0;
  double real = 0;
};

using log_fields = std::initializer_list<log_field>;

/// What a logger is made with.
struct log_options {
  log_format format = log_format::text;
  log_level level = log_level::info;
  std::string node;           ///< name of the node, on every line; empty: none
  int fd = 2;                 ///< where lines go; not closed
  wall_source now = wall_now; ///< time of a line
};

/// Thread safe. Costs one comparison when the level is off: fields are views and numbers, so guard
/// with `enabled` only what has to be built.
class logger {
public:
  /// @param options `fd` has to stay open as long as the logger lives
  explicit logger(log_options options);
  ~logger();

  /// Whether a line of this level is written.
  bool enabled(log_level level) const { return level >= level_ && level != log_level::off; }

  /// Writes one line, or nothing if the level is off. What the descriptor does not take is lost;
  /// blocks only as write(2) does.
  void write(log_level level, log_speaker who, std::string_view what, log_fields facts = {}) const {
    if (enabled(level))
      write_line(level, who, what, facts);
  }

  void debug(log_speaker who, std::string_view what, log_fields facts = {}) const {
    write(log_level::debug, who, what, facts);
  }

  void info(log_speaker who, std::string_view what, log_fields facts = {}) const {
    write(log_level::info, who, what, facts);
  }

  void warning(log_speaker who, std::string_view what, log_fields facts = {}) const {
    write(log_level::warning, who, what, facts);
  }

  void error(log_speaker who, std::string_view what, log_fields facts = {}) const {
    write(log_level::error, who, what, facts);
  }

private:
  struct sink; // spdlog stays behind it

  void write_line(log_level level, log_speaker who, std::string_view what, log_fields facts) const;

  log_level level_;
  std::unique_ptr<sink> sink_;
};

/// How the log travels: in the options of whoever speaks, never null.
using logger_ptr = std::shared_ptr<const logger>;

/// A logger with these options, to be shared by all who speak.
logger_ptr make_logger(log_options options = {});

/// A logger that writes nothing, for tests and defaults.
logger_ptr make_silent_logger();

} // namespace caf_app

// A declared function without its types: values go in and come out as JSON. The driver has one for
// each declared function (bind.hpp makes them), tests have doubles; the graph engine knows no more.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caf_app/eval/effects.hpp"
#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// Result of a function: a value or why there is none.
struct evaluation {
  json output;                      ///< does not count if there is an error
  std::optional<std::string> error; ///< what the function said, or why it could not be called
};

/// Result of one run of a producer (see produced in results.hpp).
struct production {
  std::vector<json> values; ///< in the order in which they go out
  std::optional<json> continuation;
  std::optional<int64_t> next_ms;   ///< Unix time, not yet checked against the clock
  std::optional<std::string> error; ///< then the rest does not count
};

/// None is null.
using argument_list = std::span<const json* const>;

/// A type that crosses: what inputs are checked with.
class value_type {
public:
  virtual ~value_type() = default;

  /// Replaces `value` by its canonical form (absent optional members become null).
  /// @param name how messages call the value
  /// @returns why the value does not have this type
  virtual std::optional<std::string> accept(json& value, const std::string& name) const = 0;
};

/// What the driver and the graph engine know of a declared function.
class function_face {
public:
  virtual ~function_face() = default;

  /// As declared: dotted ("math.add"), and in the words of the declaration.
  virtual std::string_view name() const = 0;
  virtual std::string_view signature() const = 0;

  /// Number of arguments without effects and without what producers get on top.
  virtual size_t arity() const = 0;
  virtual bool is_producer() const = 0;

  /// Runs an ordinary function; for a producer the result is an error. Never throws.
  /// @param arguments exactly `arity` values
  virtual evaluation call(effect_port& port, argument_list arguments) const = 0;

  /// Runs a producer; for an ordinary function nothing comes out. Never throws.
  /// @param arguments exactly `arity` values
  /// @param now_ms Unix time of the step
  /// @param continuation what the last run wanted to be handed; null: the first run with these
  ///   arguments, or it wanted nothing
  virtual production produce(effect_port& port, argument_list arguments, int64_t now_ms,
                             const json* continuation) const = 0;

  /// The type of outputs.
  virtual const value_type& output() const = 0;

  /// The type of a producer's continuations, nullptr for ordinary functions.
  virtual const value_type* continuation() const = 0;
};

} // namespace caf_app::eval

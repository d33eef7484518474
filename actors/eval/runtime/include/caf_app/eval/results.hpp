// What functions take and give beside plain values: unit, outcome (a value or a failure), produced
// (values now, more later) and the clock of producers.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace caf_app::eval {

/// The type with one value; `null` in JSON.
struct unit {
  bool operator==(const unit&) const = default;
};

/// Unix time in milliseconds, as the caller of a graph gave it: from 0 to 2^53-1.
struct clock_ms {
  int64_t value = 0;

  auto operator<=>(const clock_ms&) const = default;
  friend clock_ms operator+(clock_ms time, int64_t ms) { return {time.value + ms}; }
};

/// Why an outcome has no value. Made by `effects<error>::fail`.
class failure {
public:
  const std::string& text() const noexcept { return text_; }

private:
  template <class>
  friend struct effect_face;
  explicit failure(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

/// A value or a failure: the failure becomes the error of the node, not of the call.
template <class T>
class outcome {
public:
  outcome(T value) : data_(std::move(value)) {}
  outcome(failure why) : data_(std::move(why)) {}

  bool has_value() const noexcept { return data_.index() == 0; }

  /// These throw std::bad_variant_access if it is the other.
  const T& value() const { return std::get<0>(data_); }
  const std::string& error() const { return std::get<1>(data_).text(); }

private:
  std::variant<T, failure> data_;
};

/// What one run of a producer gives: zero or more values, of which the first goes out at once, what
/// it wants to be handed at the next run, and when that is (after `now`; nothing for never).
/// Without `next` the continuation is dropped; a `next` that is not after `now`, or above 2^53-1,
/// is the error of the node. A producer is `produced<T, C>(..., clock_ms, std::optional<C>)`: its
/// last two arguments come from the engine.
template <class T, class C>
struct produced {
  std::vector<T> values;
  std::optional<C> continuation;
  std::optional<clock_ms> next;
};

} // namespace caf_app::eval

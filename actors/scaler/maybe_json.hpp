// Values that may be missing as JSON: null. Pure.
#pragma once

#include <cmath>
#include <optional>
#include <type_traits>

#include <boost/json/value.hpp>

namespace caf_app::scaler {

/// Null for what is missing, and for what JSON has no number for: infinity, NaN.
template <class T>
boost::json::value maybe(const std::optional<T>& x) {
  if constexpr (std::is_floating_point_v<T>)
    if (x && !std::isfinite(*x))
      return nullptr;
  return x ? boost::json::value(*x) : boost::json::value(nullptr);
}

/// The reverse.
/// @throws what boost::json does if `x` is neither null nor a number that fits
template <class T>
std::optional<T> maybe_number(const boost::json::value& x) {
  return x.is_null() ? std::nullopt : std::optional{x.to_number<T>()};
}

} // namespace caf_app::scaler

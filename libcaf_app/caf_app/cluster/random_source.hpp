// Bits that nobody can guess: incarnations, nonces, node ids. Not for tests or decisions that have
// to be repeatable; those take a seed.
#pragma once

#include <sys/random.h>

#include <cstddef>

#include "caf_app/base/assert.hpp"
#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// Fills a plain value with random bits.
template <class T>
T random_bits() {
  T result{};
  static_assert(sizeof result <= 256, "getrandom() gives so much at once");
  CAF_APP_ASSERT(::getrandom(&result, sizeof result, 0) == static_cast<ssize_t>(sizeof result));
  return result;
}

/// A life of a node that never was before.
inline incarnation random_incarnation() {
  auto life = random_bits<incarnation>();
  life.low |= 1; // never none
  return life;
}

} // namespace caf_app

// The seed of a random test: taken from CAF_APP_SEED if set, so that a failure can be replayed,
// else fixed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

/// @returns the seed to use; prints it, so that the log of a failed run tells how to repeat it
inline uint32_t test_seed() {
  const char* given = std::getenv("CAF_APP_SEED");
  const auto seed = given ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 20250101u;
  std::cout << "seed: CAF_APP_SEED=" << seed << std::endl;
  return seed;
}

// CAF_APP_ASSERT: for broken invariants, that is bugs. It stays on in release builds, because a
// server that goes on with broken books loses more than one that restarts.
#pragma once

#include <cstdio>
#include <cstdlib>

/// Prints file, line and `condition`, and aborts, unless it holds. Evaluated once, in every build.
#define CAF_APP_ASSERT(condition)                                                                  \
  do {                                                                                             \
    if (!(condition)) [[unlikely]] {                                                               \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition);       \
      std::abort();                                                                                \
    }                                                                                              \
  } while (false)

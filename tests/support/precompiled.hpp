// What nearly every suite includes, compiled once. No suite relies on it: each includes what it
// uses.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

// The name of a suite is asked for where a test is, not here.
#define CAF_SUITE none
#include <caf/test/unit_test.hpp>
#undef CAF_SUITE

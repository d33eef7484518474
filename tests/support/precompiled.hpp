// What nearly every suite includes, compiled once. No suite relies on it: each includes what it
// uses.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <boost/json.hpp>
#include <caf/all.hpp>

// The name of a suite is asked for where a test is, not here.
#define CAF_SUITE none
#include <caf/test/unit_test.hpp>
#undef CAF_SUITE

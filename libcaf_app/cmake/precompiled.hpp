// What nearly every file of a room of actors includes, for builds with CAF_APP_PRECOMPILE. No file
// relies on it: each includes what it uses.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>
#include <caf/all.hpp>

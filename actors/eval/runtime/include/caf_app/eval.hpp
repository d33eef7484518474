// What a project includes: the types that cross, effects, and the results a function may have.
// Everything a project may use is in the headers included here; the other headers of this folder
// belong to the driver that is generated around it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <boost/describe.hpp>

#include "caf_app/eval/effects.hpp"
#include "caf_app/eval/json.hpp"
#include "caf_app/eval/json_text.hpp"
#include "caf_app/eval/numbers.hpp"
#include "caf_app/eval/results.hpp"

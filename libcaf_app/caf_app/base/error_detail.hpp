// The text of an error without the sentence of its code, for an error that goes into another one.
#pragma once

#include <string>

#include <caf/error.hpp>

namespace caf_app {

/// @returns what was found and expected; of errors that are not ours, or have no text, all of
/// describe()
std::string detail_of(const caf::error& err);

} // namespace caf_app

// "Did you mean ...?": the candidate nearest to a word that nobody knows.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app {

/// Insertions, deletions, replacements and swaps of neighbours that turn `left` into `right`
/// (optimal string alignment).
size_t edit_distance(std::string_view left, std::string_view right);

/// @returns the first of the nearest candidates, if at most a third of its letters (at least one)
///          differ
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

} // namespace caf_app

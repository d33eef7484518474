// The part `source` of a declaration: inline files, a folder, or a commit of a git repository.
#pragma once

#include <optional>
#include <string>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

/// Reads a source.
/// @returns what is wrong, after the word "source": ".files: ...", ": ..."
std::optional<std::string> read_source(const json& from, local_sources local, source_spec& to);

/// Checks what a source came to: number, size, no file where a folder has to be.
/// @param files sorted by path
/// @returns what is wrong
std::optional<std::string> check_files(const std::vector<source_file>& files);

} // namespace caf_app::eval

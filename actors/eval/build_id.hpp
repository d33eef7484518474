// Ids of builds: the same request with the same content has the same id, hence no second build.
#pragma once

#include <string>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

/// The source as status objects and ids show it: names, sizes and digests, no content.
/// @param files what the source came to, sorted by path
json describe_source(const source_spec& source, const std::vector<source_file>& files);

/// SHA-256 over salt, organisation and canonical request: 64 hex digits, lower case.
/// @param salt of this installation, any bytes
std::string build_id_of(std::string_view salt, const declaration& request,
                        const std::vector<source_file>& files);

/// Whether `text` has the form of a build id.
bool is_build_id(std::string_view text);

} // namespace caf_app::eval

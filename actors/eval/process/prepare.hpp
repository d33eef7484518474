// From the body of `POST /builds` to what a build is made of. Blocking: snapshots folders.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

struct prepared_build {
  uint16_t status = 200; ///< else `fault` says why there is no build
  std::string fault;
  declaration declared;
  std::vector<source_file> files; ///< sorted by path; none yet if the source is a git commit
  std::string id;
  json source; ///< as status objects show it
};

/// @param organisation that the request acts for; empty: whichever it names
/// @param salt of the ids
prepared_build prepare_build(std::string_view body, const std::string& organisation,
                             local_sources local, std::string_view salt);

} // namespace caf_app::eval

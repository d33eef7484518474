// From the body of `POST /builds` to what a build is made of. Blocking: snapshots folders.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/eval/declaration.hpp"

namespace caf_app::eval {

/// A checked declaration with its files and its id, or a refusal.
struct prepared_build {
  uint16_t status = 200; ///< of HTTP; else `fault` says why there is no build
  std::string fault;
  declaration declared;
  std::vector<source_file> files; ///< sorted by path; none yet if the source is a git commit
  std::string id;
  json source;                                ///< as status objects show it
  std::shared_ptr<const std::string> request; ///< the body itself; null if it is kept already
};

/// Keeps the body of a request in the folder of its build, so that the build can be made again.
void keep_request(const std::string& folder, const std::string& body);

/// What a build was made of, from its folder: the request that was kept, and its files. Status 404
/// if they are not there any more.
prepared_build prepare_again(const std::string& folder, const std::string& organisation,
                             std::string_view salt);

/// Reads, checks and snapshots. Status 400: a faulty body or source; 403: a binding of another
/// organisation.
/// @param organisation that the request acts for; empty: whichever it names
/// @param salt of the ids
prepared_build prepare_build(std::string_view body, const std::string& organisation,
                             local_sources local, std::string_view salt);

} // namespace caf_app::eval

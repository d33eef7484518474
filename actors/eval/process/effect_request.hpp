// Effects as the server performs them for a call. Blocking: each runs as a job on a thread of its
// own.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "caf_app/eval/effects.hpp"
#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// What an effect came to: a value, or why it failed.
using effect_result = std::variant<json, std::string>;

/// Whom an effect is performed for.
struct effect_scope {
  std::string files_folder;         ///< of all organisations; made if it is missing
  std::string organisation;         ///< a plain name
  std::string user;                 ///< a plain name
  std::vector<std::string> domains; ///< hosts that may be asked, lower case
  uint64_t token = 0;               ///< unique within the node: names temporary files
};

/// {"method": "read", "path"} or {"method": "write", "path", "content"}: a file of this
/// organisation and user, at most `limit::file_effect_bytes_max`. No link is followed; a written
/// file is there whole or not at all, its folders are made.
effect_result perform_files(const json& request, const effect_scope& scope);

/// {"method": "GET" | "POST", "url", "type"?, "content"?}: ports 80 and 443 of exactly the hosts in
/// `domains`, public addresses only (checked when it connects), no redirects.
/// @returns {"status", "fields", "content"}
effect_result perform_http(const json& request, const effect_scope& scope);

} // namespace caf_app::eval

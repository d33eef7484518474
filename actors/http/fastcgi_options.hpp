// `fastcgi = "upstream"` and the keys beside it, as the handler's parts use them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace caf_app::http {

struct fastcgi_options {
  std::string upstream;                        ///< its name
  std::string root;                            ///< absolute; scripts are files below it
  std::vector<std::string> extensions{".php"}; ///< ends of names that may run
  std::string index = "index.php";             ///< of a directory; empty: none
  std::string front; ///< script for paths that are no file, below the root; empty: 404
  std::vector<std::pair<std::string, std::string>> params; ///< further parameters
};

} // namespace caf_app::http

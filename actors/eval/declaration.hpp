// What `POST /builds` declares: a source, functions, graphs. Shapes, limits and names are checked
// here, a fault is the caller's (400). What the texts inside mean (signatures, programs, C++) is
// the build's business: faults there become diagnostics.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// Limits of one declaration; what is beyond is refused with 400.
inline constexpr size_t source_files_max = 10'000;
inline constexpr size_t source_bytes_max = size_t{64} << 20; ///< of all files together
inline constexpr size_t functions_max = 256;
inline constexpr size_t graphs_max = 64;
inline constexpr size_t name_bytes_max = 128;  ///< of a dotted name
inline constexpr size_t path_bytes_max = 1024; ///< of a file's path; each component at most 255

struct source_file {
  std::string path; ///< relative, plain components
  std::string content;
};

/// Files inside the request.
struct inline_source {
  std::vector<source_file> files; ///< sorted by path
};

/// A folder of the host; only with `allow_local`.
struct directory_source {
  std::string path; ///< absolute
};

/// A commit of a repository. It names its content: it is fetched only when the build runs.
struct git_source {
  std::string url;    ///< https://..., with `allow_local` also file:///...
  std::string commit; ///< 40 or 64 hex digits, lower case
  std::string branch; ///< empty for any
  std::string path;   ///< folder inside the repository, empty for its root
};

using source_spec = std::variant<inline_source, directory_source, git_source>;

/// A C++ function that the API and graphs may call.
struct function_declaration {
  std::string name;      ///< dotted
  std::string header;    ///< relative path in the source
  std::string function;  ///< qualified C++ name without leading "::"
  std::string signature; ///< as given
};

/// A graph of declared functions.
struct graph_declaration {
  std::string name;                               ///< dotted
  std::string program;                            ///< in the language of program.hpp
  std::map<std::string, std::string> input_types; ///< by name; those named here are checked
  std::optional<std::string> output_type;         ///< checked if set
  bool cutoff = false;                            ///< an equal outcome stops a pass there
};

/// A whole declaration: at least one function, each name once among functions and among graphs.
struct declaration {
  source_spec source;
  std::vector<function_declaration> functions;
  std::vector<graph_declaration> graphs;
  std::string organisation = "public"; ///< binding.org_id
};

/// Whether folders of the host and file:// repositories may be sources: `allow_local`.
enum class local_sources : uint8_t { refused, allowed };

/// Reads a declaration.
/// @returns the declaration, or what is wrong and where: "functions[2].name: ..."
std::variant<declaration, std::string> read_declaration(const json& from, local_sources local);

/// Whether `path` is relative and has plain components only: not "." nor "..", no control
/// characters, '"' nor '\', because paths go into #include lines.
bool is_plain_path(std::string_view path);

/// Whether `name` is identifiers joined by dots, at most `name_bytes_max`.
bool is_dotted_name(std::string_view name);

/// Whether `name` may name an organisation, a user or a graph id: [A-Za-z0-9_-]+.
bool is_binding_name(std::string_view name);

} // namespace caf_app::eval

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

inline constexpr size_t source_files_max = 10'000;
inline constexpr size_t source_bytes_max = size_t{64} << 20;
inline constexpr size_t functions_max = 256;
inline constexpr size_t graphs_max = 64;
inline constexpr size_t name_bytes_max = 128;
inline constexpr size_t path_bytes_max = 1024;

struct source_file {
  std::string path; ///< relative, plain components
  std::string content;
};

/// Files inside the request.
struct inline_source {
  std::vector<source_file> files; // sorted by path
};

/// A folder of the host; only with `allow_local`.
struct directory_source {
  std::string path; ///< absolute
};

struct git_source {
  std::string url;
  std::string commit; ///< 40 or 64 hex digits, lower case
  std::string branch; ///< empty for any
  std::string path;   ///< folder inside the repository, empty for its root
};

using source_spec = std::variant<inline_source, directory_source, git_source>;

struct function_declaration {
  std::string name;      ///< dotted
  std::string header;    ///< relative path in the source
  std::string function;  ///< qualified C++ name without leading "::"
  std::string signature; ///< as given
};

struct graph_declaration {
  std::string name; ///< dotted
  std::string program;
  std::map<std::string, std::string> input_types;
  std::optional<std::string> output_type;
  bool cutoff = false;
};

struct declaration {
  source_spec source;
  std::vector<function_declaration> functions;
  std::vector<graph_declaration> graphs;
  std::string organisation = "public";
};

enum class local_sources : uint8_t { refused, allowed };

/// Reads a declaration.
/// @returns the declaration, or what is wrong and where: "functions[2].name: ..."
std::variant<declaration, std::string> read_declaration(const json& from, local_sources local);

/// Whether `path` is relative and has plain components only.
bool is_plain_path(std::string_view path);

/// Whether `name` is identifiers joined by dots, at most `name_bytes_max`.
bool is_dotted_name(std::string_view name);

/// Whether `name` may name an organisation, a user or a graph id: [A-Za-z0-9_-]+.
bool is_binding_name(std::string_view name);

} // namespace caf_app::eval

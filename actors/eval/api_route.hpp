// Which operation of the API a method and a path mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app::eval {

struct api_route {
  enum class what : uint8_t {
    health,
    post_build,
    list_builds,
    get_build,
    get_log,
    delete_build,
    call_function,
    call_graph,
    not_found,
    method_not_allowed
  };

  what operation = what::not_found;
  std::string build; ///< its id, in the form of one; empty for health, list_builds and post_build
  std::string entry; ///< dotted name of a function or graph
  std::string allow; ///< for method_not_allowed: what would do, "GET, HEAD"
};

/// @param path below the mount; "" and "/" are the same; percent escapes stay as they are, because
///   no name has any
api_route find_api_route(std::string_view method, std::string_view path);

/// The value of the first parameter of that name in a raw query, percent escapes as they are;
/// nothing if there is no such parameter.
std::optional<std::string_view> query_value(std::string_view query, std::string_view name);

} // namespace caf_app::eval

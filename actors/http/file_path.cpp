#include "actors/http/file_path.hpp"

#include "actors/http/uri.hpp"

namespace caf_app::http {

namespace {

constexpr size_t path_bytes_max = 4095; // PATH_MAX without its NUL
constexpr size_t name_bytes_max = 255;  // NAME_MAX

bool is_name(std::string_view segment, dotfiles rule) {
  if (segment.empty() || segment == "." || segment == ".." || segment.size() > name_bytes_max)
    return false;
  if (segment.front() == '.' && rule == dotfiles::hide)
    return false;
  return segment.find('\0') == std::string_view::npos &&
         segment.find('/') == std::string_view::npos;
}

} // namespace

std::optional<std::string> file_path(std::string_view below, dotfiles rule) {
  while (below.starts_with('/'))
    below.remove_prefix(1);
  if (below.ends_with('/'))
    below.remove_suffix(1);
  if (below.empty())
    return ".";
  std::string result;
  for (;;) {
    const auto slash = below.find('/');
    const auto name = decode_path(below.substr(0, slash));
    if (!is_name(name, rule))
      return std::nullopt;
    result += name;
    if (result.size() > path_bytes_max)
      return std::nullopt;
    if (slash == std::string_view::npos)
      return result;
    result += '/';
    below.remove_prefix(slash + 1);
  }
}

bool asks_for_directory(std::string_view below) { return below.ends_with('/'); }

std::string directory_location(std::string_view path, std::string_view query) {
  std::string result = path.starts_with("//") ? "/." : "";
  result.append(path).append(1, '/');
  if (!query.empty())
    result.append(1, '?').append(query);
  return result;
}

} // namespace caf_app::http

#include "actors/eval/source_spec.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

using fault = std::optional<std::string>;

fault read_files(const json& from, inline_source& to) {
  auto members = from.if_object();
  if (!members)
    return ".files: expected an object of paths and texts";
  for (auto& [path, content] : *members) {
    if (!is_plain_path(path))
      return ".files: '" + path + "' is no relative path of plain components";
    if (!content.if_string())
      return ".files: '" + path + "' is no text";
    to.files.push_back({path, *content.if_string()});
  }
  std::sort(to.files.begin(), to.files.end(), [](auto& a, auto& b) { return a.path < b.path; });
  if (auto wrong = check_files(to.files))
    return ".files: " + *wrong;
  return std::nullopt;
}

fault read_directory(const json& from, local_sources local, directory_source& to) {
  auto path = from.if_string();
  if (!path || !path->starts_with('/') || path->find('\0') != std::string::npos)
    return ".directory: expected an absolute path";
  if (local == local_sources::refused)
    return ".directory: local sources are not allowed here (allow_local)";
  to.path = *path;
  return std::nullopt;
}

bool is_commit(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_branch(std::string_view text) {
  // What git-check-ref-format forbids, and nothing that could read as an option.
  return !text.empty() && text.size() <= 255 && !text.starts_with('-') && !text.starts_with('/') &&
         text.find("..") == std::string_view::npos && text.find("@{") == std::string_view::npos &&
         text.find_first_of(" ~^:?*[\\") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) > 0x20 && c != 0x7F; });
}

fault check_url(const std::string& url, local_sources local) {
  if (url.find_first_of(" \t\r\n") != std::string::npos || url.find('\0') != std::string::npos)
    return ".git.url: has blanks";
  if (url.starts_with("https://") && url.size() > 8)
    return std::nullopt;
  if (!url.starts_with("file:///"))
    return ".git.url: expected https:// or file://";
  if (local == local_sources::refused)
    return ".git.url: local sources are not allowed here (allow_local)";
  return std::nullopt;
}

fault read_git(const json& from, local_sources local, git_source& to) {
  if (!from.if_object())
    return ".git: expected an object";
  for (auto [member, text] : {std::pair{"url", &to.url},
                              {"commit", &to.commit},
                              {"branch", &to.branch},
                              {"path", &to.path}}) {
    auto value = from.find(member);
    if (!value || value->is_null())
      continue;
    if (!value->if_string())
      return std::string{".git."} + member + ": expected a string";
    *text = *value->if_string();
  }
  if (!is_commit(to.commit))
    return ".git.commit: expected the full hash in lower case";
  if (!to.branch.empty() && !is_branch(to.branch))
    return ".git.branch: is no name of a branch";
  if (!to.path.empty() && !is_plain_path(to.path))
    return ".git.path: expected a relative path";
  return check_url(to.url, local);
}

} // namespace

std::optional<std::string> read_source(const json& from, local_sources local, source_spec& to) {
  auto members = from.if_object();
  if (!members || members->size() != 1)
    return ": expected an object with one of files, directory, git";
  auto& [kind, value] = members->front();
  if (kind == "files")
    return read_files(value, to.emplace<inline_source>());
  if (kind == "directory")
    return read_directory(value, local, to.emplace<directory_source>());
  if (kind == "git")
    return read_git(value, local, to.emplace<git_source>());
  return ": unknown kind '" + kind + "', there are files, directory, git";
}

std::optional<std::string> check_files(const std::vector<source_file>& files) {
  if (files.size() > source_files_max)
    return "more than " + std::to_string(source_files_max) + " files";
  size_t bytes = 0;
  for (auto& file : files)
    bytes += file.content.size();
  if (bytes > source_bytes_max)
    return "more than " + std::to_string(source_bytes_max) + " bytes";
  // A folder's files need not follow its name directly ("a", "a-b", "a/c"), hence the search.
  for (auto& file : files) {
    for (auto slash = file.path.find('/'); slash != std::string::npos;
         slash = file.path.find('/', slash + 1)) {
      const auto folder = std::string_view{file.path}.substr(0, slash);
      if (std::binary_search(files.begin(), files.end(), source_file{std::string{folder}, {}},
                             [](auto& a, auto& b) { return a.path < b.path; }))
        return "'" + std::string{folder} + "' is a file and a folder";
    }
  }
  return std::nullopt;
}

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.size() > path_bytes_max)
    return false;
  for (auto c : path)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\\' || c == '"')
      return false; // paths go into #include "..."
  for (;;) {
    auto slash = path.find('/');
    auto part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || part.size() > 255)
      return false;
    if (slash == std::string_view::npos)
      return true;
    path.remove_prefix(slash + 1);
  }
}

} // namespace caf_app::eval

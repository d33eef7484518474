#include "actors/eval/process/effect_request.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actors/eval/declaration.hpp"
#include "actors/eval/eval_config.hpp"
#include "actors/eval/json_member.hpp"
#include "actors/eval/process/child.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

enum class missing_folders : uint8_t { fail, make };

std::string system_fault(const std::string& path) { return path + ": " + std::strerror(errno); }

/// Opens a folder below another without following links.
owned_fd enter(const owned_fd& folder, const std::string& name, missing_folders missing) {
  if (missing == missing_folders::make)
    ::mkdirat(folder.get(), name.c_str(), S_IRWXU);
  return owned_fd{
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
}

/// The folder of the last component of `path`, which is cut off.
owned_fd enter_parent(const effect_scope& scope, std::string& path, missing_folders missing) {
  std::error_code ec;
  std::filesystem::create_directories(scope.files_folder, ec);
  owned_fd folder{::open(scope.files_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  for (auto& name : {scope.organisation, scope.user})
    if (folder)
      folder = enter(folder, name, missing);
  for (auto slash = path.find('/'); folder && slash != std::string::npos; slash = path.find('/')) {
    folder = enter(folder, path.substr(0, slash), missing);
    path.erase(0, slash + 1);
  }
  return folder;
}

std::optional<std::string> read_all(const owned_fd& file) {
  std::string content;
  char buffer[size_t{64} << 10];
  for (;;) {
    const auto got = ::read(file.get(), buffer, sizeof buffer);
    if (got < 0)
      return std::nullopt;
    if (got == 0)
      return content;
    content.append(buffer, static_cast<size_t>(got));
    if (content.size() > limit::file_effect_bytes_max)
      return content;
  }
}

bool write_all(const owned_fd& file, std::string_view content) {
  while (!content.empty()) {
    const auto put = ::write(file.get(), content.data(), content.size());
    if (put < 0 && errno != EINTR)
      return false;
    content.remove_prefix(put < 0 ? 0 : static_cast<size_t>(put));
  }
  return ::fsync(file.get()) == 0;
}

std::string too_large(const std::string& path) {
  return path + ": more than " + std::to_string(limit::file_effect_bytes_max) + " bytes";
}

effect_result read_file(const std::string& path, const effect_scope& scope) {
  auto name = path;
  const auto folder = enter_parent(scope, name, missing_folders::fail);
  if (!folder)
    return system_fault(path);
  const owned_fd file{
      ::openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  struct stat what {};
  if (!file || ::fstat(file.get(), &what) != 0)
    return system_fault(path);
  if (!S_ISREG(what.st_mode))
    return path + ": not a regular file";
  auto content = read_all(file);
  if (!content)
    return system_fault(path);
  if (content->size() > limit::file_effect_bytes_max)
    return too_large(path);
  if (!is_utf8(*content))
    return path + ": not UTF-8";
  json result;
  result.add("content", std::move(*content));
  return result;
}

effect_result write_file(const std::string& path, const std::string& content,
                         const effect_scope& scope) {
  if (content.size() > limit::file_effect_bytes_max)
    return too_large(path);
  auto name = path;
  const auto folder = enter_parent(scope, name, missing_folders::make);
  if (!folder)
    return system_fault(path);
  const auto temporary =
      ".caf_app-" + std::to_string(::getpid()) + "-" + std::to_string(scope.token) + ".new";
  {
    const owned_fd file{::openat(folder.get(), temporary.c_str(),
                                 O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
                                 S_IRUSR | S_IWUSR)};
    if (!file || !write_all(file, content)) {
      auto why = system_fault(path);
      ::unlinkat(folder.get(), temporary.c_str(), 0);
      return why;
    }
  }
  if (::renameat(folder.get(), temporary.c_str(), folder.get(), name.c_str()) != 0) {
    auto why = system_fault(path);
    ::unlinkat(folder.get(), temporary.c_str(), 0);
    return why;
  }
  return json{json::object{}};
}

} // namespace

effect_result perform_files(const json& request, const effect_scope& scope) {
  const auto method = text_of(request, "method");
  const auto path = text_of(request, "path");
  if (!is_binding_name(scope.organisation) || !is_binding_name(scope.user))
    return std::string{"files need a binding with org_id and user_id"};
  if (!is_plain_path(path))
    return "'" + path + "' is not a relative path of plain components";
  if (method == "read")
    return read_file(path, scope);
  if (method == "write")
    return write_file(path, text_of(request, "content"), scope);
  return "files cannot " + method;
}

} // namespace caf_app::eval

#include "actors/http/fastcgi_script_handler.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "actors/http/file_finder_handler.hpp"
#include "actors/http/uri.hpp"
#include "caf_app/loop/output_queue.hpp"

namespace caf_app::http {

namespace {

enum class entry_kind : uint8_t { none, file, directory, busy };

entry_kind look_at(int root, const std::string& name) {
  const shared_file file{open_beneath(root, name, symlinks::inside, O_PATH)};
  if (file.fd() < 0)
    return errno == EMFILE || errno == ENFILE || errno == ENOMEM ? entry_kind::busy
                                                                 : entry_kind::none;
  struct stat facts {};
  if (::fstat(file.fd(), &facts) != 0)
    return entry_kind::none;
  return S_ISREG(facts.st_mode)   ? entry_kind::file
         : S_ISDIR(facts.st_mode) ? entry_kind::directory
                                  : entry_kind::none;
}

bool has_extension(std::string_view name, const std::vector<std::string>& extensions) {
  return std::any_of(extensions.begin(), extensions.end(), [&](const std::string& end) {
    return name.size() > end.size() && name.ends_with(end);
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

fastcgi_script script(std::string name, std::string path_info) {
  return {fastcgi_script::outcome::found, std::move(name), std::move(path_info)};
}

fastcgi_script not_found() { return {}; }

fastcgi_script busy() { return {fastcgi_script::outcome::busy, {}, {}}; }

class script_finder {
public:
  script_finder(int root, const fastcgi_options& options, std::string_view below)
      : root_(root), options_(options), below_(below) {}

  fastcgi_script run() const {
    if (auto named = find_named(); named.kind != fastcgi_script::outcome::not_found)
      return named;
    const auto name = file_path(below_, dotfiles::hide);
    const auto kind = name ? look_at(root_, *name) : entry_kind::none;
    if (kind == entry_kind::busy)
      return busy();
    if (kind == entry_kind::directory)
      if (auto index = find_index(*name); index.kind != fastcgi_script::outcome::not_found)
        return index;
    if (kind != entry_kind::file && !options_.front.empty() &&
        look_at(root_, options_.front) == entry_kind::file)
      return script(options_.front, decode_path(below_));
    return not_found();
  }

private:
  // The shortest part of the path that is a script; what follows it is PATH_INFO.
  fastcgi_script find_named() const {
    for (auto end = below_.find('/', 1); !below_.empty(); end = below_.find('/', end + 1)) {
      const auto name = file_path(below_.substr(0, end), dotfiles::hide);
      if (name && has_extension(*name, options_.extensions)) {
        const auto kind = look_at(root_, *name);
        if (kind == entry_kind::busy)
          return busy();
        if (kind == entry_kind::file)
          return script(*name, end == below_.npos ? "" : decode_path(below_.substr(end)));
      }
      if (end == below_.npos)
        break;
    }
    return not_found();
  }

  fastcgi_script find_index(const std::string& folder) const {
    if (options_.index.empty())
      return not_found();
    const auto index = folder == "." ? options_.index : folder + "/" + options_.index;
    if (look_at(root_, index) != entry_kind::file)
      return not_found();
    if (!asks_for_directory(below_))
      return {fastcgi_script::outcome::directory, {}, {}};
    return script(index, "");
  }

  int root_;
  const fastcgi_options& options_;
  std::string_view below_;
};

} // namespace

fastcgi_script find_script(const fastcgi_options& options, std::string_view below) {
  if (has_control(decode_path(below)))
    return not_found();
  const shared_file root{::open(options.root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)};
  if (root.fd() < 0)
    return errno == EMFILE || errno == ENFILE ? busy() : not_found();
  return script_finder{root.fd(), options, below}.run();
}

} // namespace caf_app::http

// Paths of requests as names below a root, and names of files as links: what is let through stays
// below the root, and a link leads back to the name that it was made of.
#include <string>
#include <string_view>

#include "caf_app/base/assert.hpp"

#include "actors/http/file_path.hpp"
#include "actors/http/listing.hpp"
#include "actors/http/uri.hpp"

using namespace caf_app::http;

namespace {

void check_below_root(std::string_view name, dotfiles rule) {
  CAF_APP_ASSERT(!name.empty() && name.front() != '/' && name.back() != '/');
  CAF_APP_ASSERT(name.find('\0') == name.npos && name.size() <= 4095);
  if (name == ".")
    return;
  for (;;) {
    const auto segment = name.substr(0, name.find('/'));
    CAF_APP_ASSERT(!segment.empty() && segment != "." && segment != ".." && segment.size() <= 255);
    CAF_APP_ASSERT(rule == dotfiles::serve || segment.front() != '.');
    if (segment.size() == name.size())
      return;
    name.remove_prefix(segment.size() + 1);
  }
}

void check_path(std::string_view raw, path_rules rules) {
  std::string scratch;
  const auto path = normalise_path(raw, scratch, rules);
  if (path.error != fault::none)
    return;
  for (const auto rule : {dotfiles::hide, dotfiles::serve})
    if (const auto name = file_path(path.path, rule))
      check_below_root(*name, rule);
  if (path.path.ends_with('/')) // a directory already: nobody is sent to it
    return;
  const auto location = directory_location(path.path, "");
  CAF_APP_ASSERT(location.front() == '/' && !location.starts_with("//"));
}

// A file with this name, if there can be one, is found by its link in a listing.
void check_link(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '.' || name.find('/') != name.npos ||
      name.find('\0') != name.npos)
    return;
  const auto link = "/" + escape_segment(name);
  std::string scratch;
  const auto path = normalise_path(link, scratch, {});
  if (name.find('\\') != name.npos) { // refused in paths, whatever it is in names
    CAF_APP_ASSERT(path.error != fault::none);
    return;
  }
  CAF_APP_ASSERT(path.error == fault::none);
  CAF_APP_ASSERT(file_path(path.path, dotfiles::hide) == std::string{name});
}

void check_page(std::string_view name) {
  const auto page = list_directory(std::string{"/"} + std::string{name} + "/",
                                   {{std::string{name}, false, 1, {}}});
  for (size_t at = 0; (at = page.find('<', at)) != page.npos; ++at) { // no tag but ours
    const auto tag = std::string_view{page}.substr(at, 9);
    bool ours = false;
    for (const auto* each :
         {"<!DOCTYPE", "<html", "</html", "<head", "</head",   "<meta",  "<title",
          "</title",   "<body", "</body", "<h1",   "</h1",     "<table", "</table",
          "<tr",       "</tr",  "<td",    "</td",  "<a href=", "</a"})
      ours = ours || tag.starts_with(each);
    CAF_APP_ASSERT(ours);
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto raw = "/" + std::string{text};
  for (const auto slash : {slashes::keep, slashes::merge})
    for (const auto encoded : {encoded_slash::reject, encoded_slash::keep})
      check_path(raw, {slash, encoded});
  check_link(text);
  check_page(text.substr(0, 255));
  return 0;
}

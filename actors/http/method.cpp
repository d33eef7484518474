#include "actors/http/method.hpp"

#include <array>

namespace caf_app::http {

namespace {

constexpr std::array<std::string_view, 10> names{
    "UNKNOWN", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT",
};

method if_named(std::string_view text, method candidate) noexcept {
  return text == names[static_cast<size_t>(candidate)] ? candidate : method::unknown;
}

} // namespace

method parse_method(std::string_view text) noexcept {
  if (text.size() < 3)
    return method::unknown;
  switch (text[0]) {
    case 'G': return if_named(text, method::get);
    case 'H': return if_named(text, method::head);
    case 'P':
      if (text[1] == 'O')
        return if_named(text, method::post);
      return if_named(text, text[1] == 'U' ? method::put : method::patch);
    case 'D': return if_named(text, method::delete_);
    case 'O': return if_named(text, method::options);
    case 'T': return if_named(text, method::trace);
    case 'C': return if_named(text, method::connect);
    default: return method::unknown;
  }
}

std::string_view to_string(method what) noexcept { return names[static_cast<size_t>(what)]; }

bool is_idempotent(method what) noexcept {
  return is_safe(what) || what == method::put || what == method::delete_;
}

bool is_safe(method what) noexcept {
  return what == method::get || what == method::head || what == method::options ||
         what == method::trace;
}

std::string to_string(method_set methods) {
  std::string result;
  for (size_t i = 1; i < names.size(); ++i) {
    if (!methods.contains(static_cast<method>(i)))
      continue;
    if (!result.empty())
      result += ", ";
    result += names[i];
  }
  return result;
}

} // namespace caf_app::http

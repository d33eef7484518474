#include "actors/http/field_list.hpp"

namespace caf_app::http {

const field* field_list::find(std::string_view name) const noexcept {
  for (const auto& line : lines_)
    if (equals_ignoring_case(line.name, name))
      return &line;
  return nullptr;
}

bool field_list::has_token(known_field id, std::string_view token) const noexcept {
  if (!has(id))
    return false;
  if (!is_repeated(id))
    return has_list_token(first(id), token);
  for (const auto& line : lines_)
    if (line.id == id && has_list_token(line.value, token))
      return true;
  return false;
}

void field_list::rebase(const char* from, const char* to) noexcept {
  const auto move = [&](std::string_view& view) {
    view = {to + (view.data() - from), view.size()};
  };
  for (auto& line : lines_) {
    move(line.name);
    move(line.value);
  }
}

} // namespace caf_app::http

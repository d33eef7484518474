#include "actors/http/file_request.hpp"

namespace caf_app::http {

std::string joined(const field_list& fields, known_field id) {
  std::string result;
  for (const auto& line : fields)
    if (line.id == id)
      result.append(result.empty() ? "" : ", ").append(line.value);
  return result;
}

file_request::file_request(method what, const field_list& fields) {
  view_.method = what;
  view_.if_match = read(fields, known_field::if_match);
  view_.if_none_match = read(fields, known_field::if_none_match);
  view_.if_modified_since = read(fields, known_field::if_modified_since);
  view_.if_unmodified_since = read(fields, known_field::if_unmodified_since);
  view_.if_range = read(fields, known_field::if_range);
  view_.range = read(fields, known_field::range);
  view_.accept_encoding = read(fields, known_field::accept_encoding);
}

std::optional<std::string_view> file_request::read(const field_list& fields, known_field id) {
  if (!fields.has(id))
    return std::nullopt;
  if (!fields.is_repeated(id))
    return fields.first(id);
  return owned_.emplace_back(joined(fields, id));
}

void file_request::keep() {
  for (auto* each :
       {&view_.if_match, &view_.if_none_match, &view_.if_modified_since, &view_.if_unmodified_since,
        &view_.if_range, &view_.range, &view_.accept_encoding})
    if (*each)
      *each = owned_.emplace_back(**each);
}

bool file_request::is_simple() const noexcept {
  return !view_.if_match && !view_.if_none_match && !view_.if_modified_since &&
         !view_.if_unmodified_since && !view_.range;
}

} // namespace caf_app::http

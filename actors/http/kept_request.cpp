#include "actors/http/kept_request.hpp"

namespace caf_app::http {

kept_request::kept_request(const request_view& view) : view_(view) {
  auto size = view.method_text.size() + view.target.size() + view.path.size() + view.query.size() +
              view.below.size() + view.host.size();
  for (const auto& line : *view.fields)
    size += line.name.size() + line.value.size();
  bytes_.reserve(size);
  for (auto* text :
       {&view_.method_text, &view_.target, &view_.path, &view_.below, &view_.query, &view_.host})
    *text = keep(*text);
  for (const auto& line : *view.fields)
    fields_.push_back({keep(line.name), keep(line.value), line.id});
  view_.fields = &fields_;
}

std::string_view kept_request::keep(std::string_view text) {
  const auto at = bytes_.size();
  bytes_.append(text);
  return std::string_view{bytes_}.substr(at);
}

} // namespace caf_app::http

#include "actors/http/redirect_handler.hpp"

namespace caf_app::http {

namespace {

void replace_all(std::string& text, std::string_view name, std::string_view value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += value.size())
    text.replace(at, name.size(), value);
}

} // namespace

std::unique_ptr<exchange_task> redirect_handler::start(exchange& open) const {
  const auto& options = entry_.config.redirect;
  auto location = options.to;
  replace_all(location, "${path}", open.request().path);
  replace_all(location, "${query}", open.request().query);
  std::vector<field> fields{{"Location", location, known_field::location}};
  for (const auto& [name, value] : entry_.headers)
    fields.push_back({name, value});
  open.respond_status(options.status, fields);
  return nullptr;
}

} // namespace caf_app::http

#include "actors/http/redirect_handler.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

// In one pass: what a client puts into its query is not a template.
std::string place_for(std::string_view to, const request_view& request) {
  constexpr std::string_view path = "${path}", query = "${query}";
  std::string result;
  while (!to.empty()) {
    const auto end = std::min(to.find("${", 1), to.size());
    if (to.starts_with(path)) {
      result += request.path;
      to.remove_prefix(path.size());
    } else if (to.starts_with(query)) {
      result += request.query;
      to.remove_prefix(query.size());
    } else {
      result += to.substr(0, end);
      to.remove_prefix(end);
    }
  }
  return result;
}

} // namespace

std::unique_ptr<exchange_task> redirect_handler::start(exchange& open) const {
  const auto& options = entry_.config.redirect;
  const auto location = place_for(options.to, open.request());
  std::vector<field> fields{{"Location", location, known_field::location}};
  add_missing(fields, entry_.headers);
  open.respond_status(options.status, fields);
  return nullptr;
}

} // namespace caf_app::http

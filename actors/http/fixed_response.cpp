#include "actors/http/fixed_response.hpp"

#include "actors/http/status.hpp"

namespace caf_app::http {

std::optional<fixed_response> fixed_response::make(const response& answer,
                                                   std::string_view server) {
  h1_response_head head;
  head.status = answer.status;
  head.content = is_bodiless(answer.status) ? h1_content::none : h1_content::length;
  head.server = server;
  head.content_type = answer.content_type;
  head.fields = answer.fields;
  auto h1 = h1_prepared_response::make(head, is_bodiless(answer.status) ? "" : answer.body);
  if (!h1)
    return std::nullopt;
  fixed_response result{std::move(*h1)};
  result.status_ = answer.status;
  result.content_type_ = answer.content_type;
  result.body_ = answer.body;
  for (const auto& line : answer.fields)
    result.owned_.push_back({std::string{line.name}, std::string{line.value}});
  for (const auto& line : result.owned_)
    result.fields_.push_back({line.name, line.value});
  return result;
}

response fixed_response::view() const noexcept { return {status_, content_type_, fields_, body_}; }

} // namespace caf_app::http

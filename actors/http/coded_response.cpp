#include "actors/http/coded_response.hpp"

#include "actors/http/etag.hpp"
#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

std::string_view value_of(const response& answer, std::string_view name) {
  for (const auto& line : answer.fields)
    if (equals_ignoring_case(line.name, name))
      return line.value;
  return {};
}

bool varies_already(std::string_view value) {
  return has_list_token(value, "accept-encoding") || has_list_token(value, "*");
}

} // namespace

bool depends_on_client(const response& answer, std::optional<uint64_t> size) {
  codable_response facts;
  facts.status = answer.status;
  facts.type = answer.content_type.empty() ? value_of(answer, "content-type") : answer.content_type;
  facts.content_encoding = value_of(answer, "content-encoding");
  facts.cache_control = value_of(answer, "cache-control");
  facts.size = size;
  return codable_on_the_fly(facts) && value_of(answer, "content-range").empty();
}

coding coding_for(const response& answer, std::optional<uint64_t> size,
                  const std::optional<std::string>& accept_encoding) {
  if (!accept_encoding || !depends_on_client(answer, size))
    return coding::identity;
  const auto chosen = choose_coding(accepted_codings{*accept_encoding}, codings);
  return chosen.value_or(coding::identity); // who takes nothing gets what there is
}

coded_response::coded_response(const response& answer, coding which)
    : status_(answer.status), source_(answer.source), which_(which), type_(answer.content_type) {
  auto varies = false;
  for (const auto& line : answer.fields) {
    if (equals_ignoring_case(line.name, "etag") && which != coding::identity) {
      add(line.name, coded_etag(line.value, to_string(which)));
    } else if (equals_ignoring_case(line.name, "vary")) {
      varies = varies || varies_already(line.value);
      add(line.name, std::string{line.value});
    } else {
      add(line.name, std::string{line.value});
    }
  }
  if (!varies)
    add("Vary", "Accept-Encoding");
  if (which != coding::identity)
    add("Content-Encoding", std::string{to_string(which)});
  fields_.reserve(owned_.size());
  for (const auto& [name, value] : owned_)
    fields_.push_back({name, value});
}

void coded_response::add(std::string_view name, std::string value) {
  owned_.emplace_back(name, std::move(value));
}

} // namespace caf_app::http

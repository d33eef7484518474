#include "actors/http/coded_response.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

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

codable_response facts_of(const response& answer) {
  codable_response facts;
  facts.status = answer.status;
  facts.type = answer.content_type.empty() ? value_of(answer, "content-type") : answer.content_type;
  facts.content_encoding = value_of(answer, "content-encoding");
  facts.cache_control = value_of(answer, "cache-control");
  return facts;
}

// They speak of the plain form: its parts (RFC 9110 §14.3) and sums (RFC 9530).
bool is_of_plain_form(std::string_view name) {
  constexpr std::string_view names[]{"accept-ranges", "content-md5", "digest", "content-digest",
                                     "repr-digest"};
  return std::any_of(std::begin(names), std::end(names),
                     [name](std::string_view each) { return equals_ignoring_case(name, each); });
}

} // namespace

bool depends_on_client(const response& answer, std::optional<uint64_t> size) {
  if (size && (*size < coded_on_the_fly_bytes_min || *size > coded_on_the_fly_bytes_max))
    return false; // most answers, before anything is looked up
  auto facts = facts_of(answer);
  facts.size = size;
  return codable_on_the_fly(facts) && value_of(answer, "content-range").empty();
}

bool is_part_of_codable(const response& answer) {
  if (answer.status != 206)
    return false;
  auto facts = facts_of(answer);
  facts.status = 200;
  auto range = value_of(answer, "content-range");
  range.remove_prefix(std::min(range.find('/'), range.size()));
  uint64_t size = 0;
  if (range.size() > 1 &&
      std::from_chars(range.data() + 1, range.data() + range.size(), size).ec == std::errc{})
    facts.size = size;
  return codable_on_the_fly(facts);
}

response with_vary(const response& answer, std::vector<field>& lines) {
  lines.assign(answer.fields.begin(), answer.fields.end());
  const auto said = std::any_of(lines.begin(), lines.end(), [](const field& line) {
    return equals_ignoring_case(line.name, "vary") && varies_already(line.value);
  });
  if (!said)
    lines.push_back({"Vary", "Accept-Encoding", known_field::vary});
  auto result = answer;
  result.fields = lines;
  return result;
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
    } else if (which == coding::identity || !is_of_plain_form(line.name)) {
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

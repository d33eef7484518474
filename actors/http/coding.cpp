#include "actors/http/coding.hpp"

#include <algorithm>

#include "actors/http/field.hpp"

namespace caf_app::http {

namespace {

bool ends_like(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equals_ignoring_case(text.substr(text.size() - end.size()), end);
}

bool starts_like(std::string_view text, std::string_view start) {
  return equals_ignoring_case(text.substr(0, start.size()), start);
}

// qvalue = 0[.000-999] / 1[.000] (RFC 9110 §12.4.2), in thousandths.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text[0] != '0' && text[0] != '1'))
    return std::nullopt;
  if (text.size() > 1 && text[1] != '.')
    return std::nullopt;
  auto result = (text[0] - '0') * 1000;
  auto unit = 100;
  for (size_t i = 2; i < text.size(); ++i, unit /= 10) {
    if (text[i] < '0' || text[i] > '9')
      return std::nullopt;
    result += (text[i] - '0') * unit;
  }
  return result <= 1000 ? std::optional{result} : std::nullopt;
}

struct member {
  std::string_view name;
  int weight = 1000;
};

std::optional<member> parse_member(std::string_view text) {
  const auto semicolon = text.find(';');
  member result{trim_blanks(text.substr(0, semicolon))};
  if (semicolon == std::string_view::npos)
    return result;
  const auto parameter = trim_blanks(text.substr(semicolon + 1));
  if (parameter.size() < 2 || to_lower(parameter[0]) != 'q' || parameter[1] != '=')
    return std::nullopt;
  const auto weight = parse_weight(parameter.substr(2));
  if (!weight)
    return std::nullopt;
  result.weight = *weight;
  return result;
}

} // namespace

std::string_view to_string(coding value) {
  switch (value) {
    case coding::identity: return "identity";
    case coding::gzip: return "gzip";
    case coding::br: return "br";
    case coding::zstd: return "zstd";
  }
  return "identity";
}

std::string_view sibling_suffix(coding value) {
  switch (value) {
    case coding::identity: return "";
    case coding::gzip: return ".gz";
    case coding::br: return ".br";
    case coding::zstd: return ".zst";
  }
  return "";
}

std::optional<coding> parse_coding(std::string_view name) {
  for (const auto value : {coding::identity, coding::gzip, coding::br, coding::zstd})
    if (equals_ignoring_case(name, to_string(value)))
      return value;
  if (equals_ignoring_case(name, "x-gzip")) // RFC 9110 §8.4.1.3
    return coding::gzip;
  return std::nullopt;
}

accepted_codings::accepted_codings(std::optional<std::string_view> value) {
  constexpr auto unset = -1;
  weights_.fill(unset);
  auto others = unset;
  auto rest = value.value_or("");
  while (const auto element = next_list_element(rest)) {
    const auto parsed = parse_member(*element);
    if (!parsed)
      continue;
    if (parsed->name == "*")
      others = parsed->weight;
    else if (const auto known = parse_coding(parsed->name))
      weights_[static_cast<size_t>(*known)] = parsed->weight;
  }
  for (auto& weight : weights_)
    if (weight == unset)
      weight = others;
  for (auto& weight : weights_)
    if (weight == unset)
      weight = &weight == weights_.data() ? 1 : 0; // the first one is identity
}

std::optional<coding> choose_coding(const accepted_codings& accepted,
                                    std::span<const coding> available, bool identity) {
  std::optional<coding> result;
  auto best = 0;
  for (const auto candidate : available)
    if (accepted.weight(candidate) > best) {
      best = accepted.weight(candidate);
      result = candidate;
    }
  if (identity && accepted.weight(coding::identity) > best)
    result = coding::identity;
  return result;
}

bool compressible_type(std::string_view type) {
  const auto name = trim_blanks(type.substr(0, type.find(';')));
  if (starts_like(name, "text/"))
    return true;
  if (ends_like(name, "+json") || ends_like(name, "+xml"))
    return true;
  constexpr std::string_view known[]{
      "application/json",     "application/javascript", "application/x-javascript",
      "application/xml",      "application/wasm",       "application/manifest+json",
      "application/x-ndjson", "application/ld+json",    "image/svg+xml"};
  return std::any_of(std::begin(known), std::end(known),
                     [name](std::string_view each) { return equals_ignoring_case(name, each); });
}

bool codable_on_the_fly(const codable_response& response) {
  if (response.status < 200 || response.status == 204 || response.status == 205 ||
      response.status == 206 || response.status == 304)
    return false;
  if (!response.content_encoding.empty() || !compressible_type(response.type))
    return false;
  if (response.size &&
      (*response.size < coded_on_the_fly_bytes_min || *response.size > coded_on_the_fly_bytes_max))
    return false;
  return !has_list_token(response.cache_control, "no-transform");
}

} // namespace caf_app::http

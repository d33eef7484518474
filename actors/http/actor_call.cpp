#include "actors/http/actor_call.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <boost/json.hpp>

#include <caf/atom.hpp>
#include <caf/sec.hpp>

#include "actors/http/field.hpp"
#include "actors/http/servers_own.hpp"
#include "actors/http/uri.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/escape.hpp"

namespace caf_app::http {

namespace json = boost::json;

namespace {

constexpr size_t query_members_max = 256;

std::string decode_form(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      result += ' ';
    } else if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 &&
               hex_value(text[i + 2]) >= 0) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const auto length = utf8_length(text);
    if (length == 0)
      return false;
    text.remove_prefix(length);
  }
  return true;
}

json::parse_options strict() {
  json::parse_options options;
  options.max_depth = 128;
  return options;
}

} // namespace

std::string actor_method(std::string_view below) {
  while (below.starts_with('/'))
    below.remove_prefix(1);
  while (below.ends_with('/'))
    below.remove_suffix(1);
  if (below.empty())
    return "call";
  std::string result{below};
  for (auto& c : result)
    if (c == '/')
      c = '.';
  return result.find('%') == std::string::npos ? result : decode_path(result);
}

// Written by hand rather than through a JSON library: this is on the way of every GET.
caf::expected<std::string> query_to_json(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> members; // few: a search beats a map
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const auto pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty())
      continue;
    const auto equals = std::min(pair.find('='), pair.size());
    auto name = decode_form(pair.substr(0, equals));
    auto value = decode_form(pair.substr(std::min(equals + 1, pair.size())));
    if (!is_utf8(name) || !is_utf8(value))
      return caf::make_error(errc::invalid_argument, "the query is no UTF-8");
    const auto same = std::find_if(members.begin(), members.end(),
                                   [&](const auto& member) { return member.first == name; });
    if (same != members.end())
      same->second = std::move(value);
    else if (members.size() < query_members_max)
      members.emplace_back(std::move(name), std::move(value));
    else
      return caf::make_error(errc::invalid_argument, "the query has more than " +
                                                         std::to_string(query_members_max) +
                                                         " parameters");
  }
  std::string text = "{";
  for (const auto& [name, value] : members) {
    text += text.size() > 1 ? ",\"" : "\"";
    append_json_escaped(text, name);
    text += "\":\"";
    append_json_escaped(text, value);
    text += '"';
  }
  return text + '}';
}

bool is_json_type(std::string_view value) {
  const auto type = to_lower(trim_blanks(value.substr(0, value.find(';'))));
  return type == "application/json" || type.ends_with("+json");
}

caf::error check_json(std::string_view text) {
  json::stream_parser parser{{}, strict()};
  json::error_code failed;
  const auto used = parser.write(text.data(), text.size(), failed);
  if (!failed)
    parser.finish(failed);
  if (!failed)
    return caf::none;
  return caf::make_error(errc::invalid_argument, "the body is no JSON: " + failed.message() +
                                                     " near byte " + std::to_string(used));
}

actor_failure failure_of(const caf::error& why) {
  switch (code_of(why)) {
    case errc::noproc:
    case errc::draining:
    case errc::peer_congested:
    case errc::busy: return {503, true, false};
    case errc::target_failed:
    case errc::handler_failed: // an exception, which ended the actor
    case errc::link_lost:
    case errc::node_left:
    case errc::unexpected_reply:
    case errc::malformed_message: return {502, false, false};
    case errc::timed_out: return {504, false, false};
    case errc::invalid_argument: return {400, false, true};
    case errc::denied: return {403, false, true};
    case errc::not_found: return {404, false, true};
    case errc::conflict: return {409, false, true};
    default: return {500, false, true};
  }
}

std::string explain_error(const caf::error& why) {
  json::object object;
  object["error"] = describe(why);
  switch (code_of(why)) {
    case errc::invalid_argument: object["code"] = "invalid_argument"; break;
    case errc::denied: object["code"] = "denied"; break;
    case errc::not_found: object["code"] = "not_found"; break;
    case errc::conflict: object["code"] = "conflict"; break;
    case errc::unhandled_message: object["code"] = "unhandled_message"; break;
    default: object["code"] = "error";
  }
  auto text = json::serialize(object);
  if (check_json(text)) // an actor's text may hold any bytes
    return R"({"error":"error","code":"error"})";
  return text;
}

std::vector<http_field> copy_fields(const field_list& fields) {
  std::vector<http_field> result;
  result.reserve(fields.size());
  for (const auto& line : fields)
    result.push_back({to_lower(line.name), std::string{line.value}});
  return result;
}

} // namespace caf_app::http

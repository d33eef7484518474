#include "actors/eval/build_status.hpp"

#include <charconv>

namespace caf_app::eval {

namespace {

constexpr build_state all_states[] = {build_state::queued,   build_state::fetching,
                                      build_state::building, build_state::ready,
                                      build_state::failed,   build_state::cancelled};

/// What a driver says about itself that belongs into the status.
constexpr const char* described[] = {"functions", "graphs", "contract"};

std::optional<int64_t> number_of(const json& from, std::string_view member) {
  auto value = from.find(member);
  auto text = value ? value->if_number() : nullptr;
  int64_t number = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

bool read_text(const json& from, std::string_view member, std::string& to) {
  auto value = from.find(member);
  auto text = value ? value->if_string() : nullptr;
  if (text)
    to = *text;
  return text != nullptr;
}

} // namespace

std::string_view to_string(build_state state) {
  switch (state) {
    case build_state::queued: return "queued";
    case build_state::fetching: return "fetching";
    case build_state::building: return "building";
    case build_state::ready: return "ready";
    case build_state::failed: return "failed";
    case build_state::cancelled: return "cancelled";
  }
  return "";
}

std::optional<build_state> build_state_of(std::string_view name) {
  for (auto state : all_states)
    if (to_string(state) == name)
      return state;
  return std::nullopt;
}

bool is_unfinished(build_state state) {
  return state == build_state::queued || state == build_state::fetching ||
         state == build_state::building;
}

json to_json(const build_status& from) {
  json result;
  result.add("id", from.id);
  result.add("state", to_string(from.state));
  result.add("source", from.source);
  result.add("diagnostics", from.diagnostics);
  if (!from.error.empty())
    result.add("error", from.error);
  result.add("createdAt", from.created_ms);
  result.add("tookMs", from.took_ms ? json{*from.took_ms} : json{});
  if (from.state == build_state::ready)
    for (auto member : described)
      if (auto value = from.description.find(member))
        result.add(member, *value);
  return result;
}

json to_record(const build_status& from) {
  auto result = to_json(from);
  result.add("organisation", from.organisation);
  return result;
}

std::optional<build_status> read_record(const json& from) {
  build_status result;
  std::string state;
  if (!read_text(from, "id", result.id) || !read_text(from, "state", state) ||
      !read_text(from, "organisation", result.organisation))
    return std::nullopt;
  auto known = build_state_of(state);
  auto created = number_of(from, "createdAt");
  auto source = from.find("source");
  auto diagnostics = from.find("diagnostics");
  if (!known || !created || !source || !diagnostics || !diagnostics->if_array())
    return std::nullopt;
  result.state = *known;
  result.created_ms = *created;
  result.source = *source;
  result.diagnostics = *diagnostics;
  result.took_ms = number_of(from, "tookMs");
  read_text(from, "error", result.error);
  for (auto member : described)
    if (auto value = from.find(member))
      result.description.add(member, *value);
  return result;
}

} // namespace caf_app::eval

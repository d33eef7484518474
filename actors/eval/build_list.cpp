#include "actors/eval/build_list.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/json_member.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

int64_t time_of(const json& build) {
  int64_t result = 0;
  if (const auto* value = build.find("createdAt"); value && value->if_number())
    std::from_chars(value->if_number()->data(),
                    value->if_number()->data() + value->if_number()->size(), result);
  return result;
}

bool is_ready(const json& build) { return text_of(build, "state") == "ready"; }

json parse(const eval_reply& reply) {
  auto value = read_json(reply.body, json_depth_max + envelope_depth_max);
  auto* parsed = std::get_if<json>(&value);
  return parsed ? std::move(*parsed) : json{};
}

int rank(const eval_reply& reply) {
  if (reply.status == 404)
    return 0;
  if (reply.status >= 400)
    return 1;
  return reply.content_type == "application/json" && !is_ready(parse(reply)) ? 2 : 3;
}

} // namespace

eval_reply merge_lists(const std::vector<eval_reply>& lists) {
  std::map<std::string, json> builds;
  for (auto& reply : lists) {
    const auto value = parse(reply);
    const auto* list = value.find("builds");
    if (!list || !list->if_array())
      continue;
    for (auto& build : *list->if_array()) {
      auto& place = builds[text_of(build, "id")];
      if (place.is_null() || (is_ready(build) && !is_ready(place)))
        place = build;
    }
  }
  std::vector<json> sorted;
  for (auto& [id, build] : builds)
    sorted.push_back(std::move(build));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](auto& a, auto& b) { return time_of(a) < time_of(b); });
  json result;
  result.add("builds", std::move(sorted));
  return json_reply_of(200, result);
}

bool is_better(const eval_reply& a, const eval_reply& b) { return rank(a) > rank(b); }

} // namespace caf_app::eval

#include "nodes/admin_json.hpp"

#include <boost/json.hpp>

#include "actors/eval/call_envelope.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app {

namespace json = boost::json;

namespace {

constexpr size_t exact_depth_max = 256; // of what boost::json takes, it has 32 by default

/// Without blanks, numbers as they were written.
std::string compact(std::string_view text, const json::value& value) {
  const auto read = eval::read_json(text, exact_depth_max);
  const auto* exact = std::get_if<eval::json>(&read);
  return exact ? eval::to_text(*exact) : json::serialize(value);
}

} // namespace

json::value to_json(const node_status& status) {
  json::array loops;
  for (const auto& loop : status.loops)
    loops.push_back(
        {{"busy",
          loop.age.count() > 0 ? 1.0 - to_seconds(loop.waited) / to_seconds(loop.age) : 0.0},
         {"lag_ms", to_seconds(loop.lag_recent) * 1000},
         {"sockets", loop.sockets}});
  return {{"node", status.node},
          {"state", status.state},
          {"roles", json::value_from(status.roles)},
          {"addresses", json::value_from(status.addresses)},
          {"pid", status.pid},
          {"uptime_ms", status.uptime_ms},
          {"connections", status.connections},
          {"actors", status.actors},
          {"loops", std::move(loops)}};
}

json::value to_json(const cluster_view& cluster) {
  json::array result;
  for (const auto& node : cluster.nodes)
    result.push_back({{"node", node.record.id.name},
                      {"state", to_string(node.record.state)},
                      {"health", node.health},
                      {"roles", json::value_from(node.record.roles)},
                      {"address", node.record.address},
                      {"linked", node.linked},
                      {"coordinator", node.coordinator},
                      {"incarnation", to_string(node.record.id.life)},
                      {"order", node.record.order},
                      {"queued_bytes", node.queued_bytes},
                      {"pending_requests", node.pending_requests},
                      {"quorate", node.health == "self" ? json::value(cluster.quorate) : nullptr}});
  return result;
}

// Names that only this node knows have neither node nor epoch.
json::value to_json(const std::vector<name_info>& names) {
  json::array result;
  for (const auto& entry : names) {
    json::object line{{"name", entry.name}, {"actor", entry.holder}, {"held_ms", entry.held_ms}};
    if (!entry.node.empty()) {
      line["node"] = entry.node;
      line["epoch"] = entry.epoch;
    }
    result.push_back(std::move(line));
  }
  return result;
}

json::value to_json(const std::vector<group_info>& groups) {
  json::array result;
  for (const auto& entry : groups) {
    json::object line{{"group", entry.group}, {"members", json::value_from(entry.members)}};
    for (const auto& part : entry.remote) {
      if (!line.contains("remote"))
        line["remote"] = json::object{};
      line["remote"].as_object()[part.node] = json::value_from(part.members);
    }
    result.push_back(std::move(line));
  }
  return result;
}

json::value to_json(const std::vector<tree_entry>& entries, steady::time_point now) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  json::array result;
  for (const auto& entry : entries) {
    const auto age = entry.actor_id == 0 ? steady::duration{} : now - entry.started_at;
    result.push_back({{"path", entry.path},
                      {"kind", to_string(entry.kind)},
                      {"state", to_string(entry.state)},
                      {"actor", entry.actor_id},
                      {"restarts", entry.restarts},
                      {"uptime_ms", duration_cast<milliseconds>(age).count()},
                      {"last_end", entry.last_end}});
  }
  return result;
}

std::string error_json(const std::string& text, std::string_view code) {
  return json::serialize(json::object{{"error", text}, {"code", code}});
}

caf::expected<json_request> request_of(const std::string& text) {
  json::error_code failed;
  const auto value = json::parse(text, failed);
  if (failed)
    return caf::make_error(errc::invalid_argument, "this is no JSON: " + failed.message());
  if (const auto* object = value.if_object())
    if (const auto* method = object->if_contains("method"); method && method->is_string()) {
      const auto* params = object->if_contains("params");
      return json_request{std::string{method->as_string()},
                          params ? text_of_member(text, "params", *params) : "null"};
    }
  return json_request{"call", compact(text, value)};
}

std::string text_of_member(const std::string& text, std::string_view name,
                           const json::value& member) {
  const auto found = eval::find_member(text, name);
  return compact(found, member);
}

} // namespace caf_app

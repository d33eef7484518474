#include "nodes/top_sampler.hpp"

#include <set>

#include <boost/json.hpp>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds answer_time{3}; // a frozen node must not freeze the screen for long

/// @returns the member, or null
const json::value* find(const json::value& from, std::string_view name) {
  const auto* object = from.if_object();
  return object ? object->if_contains(name) : nullptr;
}

std::string text(const json::value& from, std::string_view name) {
  const auto* value = find(from, name);
  return value && value->is_string() ? std::string{value->as_string()} : std::string{};
}

std::optional<uint64_t> number(const json::value& from, std::string_view name) {
  const auto* value = find(from, name);
  json::error_code failed;
  const auto result = value ? value->to_number<uint64_t>(failed) : 0;
  return value && !failed ? std::optional{result} : std::nullopt;
}

caf::expected<json::value> ask(const admin_client& client, const std::string& path) {
  auto reply = client.get(path);
  if (!reply)
    return std::move(reply.error());
  json::error_code failed;
  auto value = json::parse(reply->body, failed);
  if (reply->status == 200 && !failed)
    return value;
  return caf::make_error(errc::io_failed, client.target() + ": status " +
                                              std::to_string(reply->status) + " " +
                                              text(value, "error"));
}

bool is_gone(const json::value& node) {
  const auto state = text(node, "state");
  return state == "left" || state == "down";
}

bool is_reachable(const json::value& node) {
  const auto health = text(node, "health"); // none: the node is alone
  return !is_gone(node) && (health.empty() || health == "self" || health == "reachable");
}

void add_scaler(top_row& row, const json::value& scaler) {
  row.verdict = text(scaler, "verdict");
  const auto* instances = find(scaler, "instances");
  if (!instances || !instances->is_array())
    return;
  row.instances = 0;
  for (const auto& instance : instances->as_array()) {
    *row.instances += text(instance, "state") == "ready" ? 1 : 0;
    if (text(instance, "name") != row.node) // whose own are counted
      row.connections = row.connections.value_or(0) + number(instance, "connections").value_or(0);
  }
}

bool has_role(const json::value& status, std::string_view role) {
  const auto* roles = find(status, "roles");
  if (!roles || !roles->is_array())
    return false;
  for (const auto& each : roles->as_array())
    if (each.is_string() && each.as_string() == role)
      return true;
  return false;
}

/// All but what the web tier does. @returns whether the node has answered
bool look_at(top_row& row, const admin_client& client) {
  const auto status = ask(client, "/v1/status");
  if (!status)
    return false;
  row.state = text(*status, "state");
  row.connections = number(*status, "connections");
  row.uptime_ms = number(*status, "uptime_ms");
  if (const auto scaler = ask(client, "/v1/scaler"))
    add_scaler(row, *scaler);
  if (has_role(*status, "eval"))
    if (const auto eval = ask(client, "/v1/eval"))
      row.eval_waiting = number(*eval, "waiting");
  return true;
}

} // namespace

top_sampler::top_sampler(const admin_client& client)
    : client_(admin_client{client}.within(answer_time)) {}

caf::expected<top_view> top_sampler::look(const std::function<steady::time_point()>& now) {
  auto nodes = ask(client_, "/v1/nodes");
  if (!nodes)
    return std::move(nodes.error());
  top_view result;
  const auto* list = nodes->if_array();
  if (!list)
    return result;
  std::set<std::string> living;
  for (const auto& node : *list)
    if (!is_gone(node))
      living.insert(text(node, "node"));
  for (const auto& node : *list) {
    const auto name = text(node, "node");
    if (text(node, "state") == "left" || (is_gone(node) && living.count(name) != 0))
      continue; // an earlier life of it
    auto& row = result.rows.emplace_back();
    row.node = name;
    row.state = text(node, "state");
    if (!is_reachable(node)) {
      row.state = is_gone(node) ? row.state : text(node, "health");
      continue;
    }
    const auto client = admin_client{client_}.through(name);
    if (look_at(row, client))
      add_web(row, client, now);
  }
  before_ = std::move(seen_);
  seen_.clear();
  return result;
}

void top_sampler::add_web(top_row& row, const admin_client& client,
                          const std::function<steady::time_point()>& now) {
  const auto reply = client.get("/metrics");
  if (!reply || reply->status != 200)
    return;
  const past current{now(), digest_metrics(reply->body)};
  if (const auto before = before_.find(row.node); before != before_.end()) {
    const auto seconds = to_seconds(current.at - before->second.at);
    const auto& then = before->second.web;
    if (seconds > 0 && current.web.requests >= then.requests)
      row.requests_per_second = static_cast<double>(current.web.requests - then.requests) / seconds;
    row.p99_seconds = quantile(then, current.web, 0.99);
  }
  seen_.insert_or_assign(row.node, current);
}

} // namespace caf_app

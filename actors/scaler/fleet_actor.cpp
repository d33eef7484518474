#include "actors/scaler/fleet_actor.hpp"

#include <boost/json.hpp>

#include "actors/scaler/fleet_report.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

std::string report_of(const fleet_actor_options& options) {
  const auto now = steady_now();
  fleet_report result;
  result.instances = options.fleet->list();
  result.samples = options.fleet->samples();
  result.events = options.fleet->take_events();
  result.host = options.fleet->host(now);
  result.max_instances = options.board->max_instances();
  result.pin = options.board->pinned();
  return to_json(result, now);
}

void show(scaler_board& board, const json::object& x) {
  std::vector<std::string> lines;
  for (const auto& each : x.at("lines").as_array())
    lines.emplace_back(each.as_string());
  board.show(std::string{x.at("state").as_string()}, lines);
}

/// @returns whether there is such an order; throws what boost::json does for one that is incomplete
bool obey(const fleet_actor_options& options, const json_request& order) {
  const auto params = json::parse(order.params).as_object();
  if (order.method == "show") {
    show(*options.board, params);
    return true;
  }
  const std::string name{params.at("name").as_string()};
  const auto number = params.at("number").to_number<uint32_t>();
  auto& fleet = *options.fleet;
  if (order.method == "launch")
    fleet.launch();
  else if (order.method == "retire")
    fleet.retire(name);
  else if (order.method == "revoke")
    fleet.revoke(name);
  else if (order.method == "replace")
    fleet.replace(name);
  else if (order.method == "nudge")
    fleet.nudge(name, number);
  else if (order.method == "attract")
    fleet.attract(name, std::chrono::milliseconds{number});
  else
    return false;
  return true;
}

} // namespace

caf::behavior fleet_actor(named_actor<"scaler.fleet">* self, const fleet_actor_options& options) {
  return {[self, options](const json_request& order) -> caf::result<json_reply> {
    const auto master = options.master();
    if (!master || caf::actor_cast<caf::actor_addr>(self->current_sender()) != master.address())
      return caf::make_error(errc::denied, "only the scaler of this node's instances is obeyed");
    if (order.method == "look")
      return json_reply{report_of(options)};
    try {
      if (obey(options, order))
        return json_reply{"null"};
    } catch (const std::exception& why) {
      return caf::make_error(errc::invalid_argument, order.method + ": " + why.what());
    }
    return caf::make_error(errc::invalid_argument, "no such order: " + order.method);
  }};
}

} // namespace caf_app::scaler

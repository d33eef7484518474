#include "actors/scaler/fleet_report.hpp"

#include <boost/json.hpp>

#include "actors/scaler/host_json.hpp"
#include "actors/scaler/maybe_json.hpp"
#include "actors/scaler/sample_json.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

constexpr std::string_view states[] = {"starting", "ready", "draining"};

int64_t ns(steady::time_point t) { return t.time_since_epoch().count(); }

json::array durations(const std::vector<std::chrono::milliseconds>& list) {
  json::array result;
  for (const auto& each : list)
    result.emplace_back(each.count());
  return result;
}

/// Reads a report; throws what boost::json does for a member that is missing or of another type.
class reader {
public:
  explicit reader(steady::time_point now) : now_(now) {}

  fleet_report read(const json::object& x) {
    shift_ = now_ - time_of(x.at("now_ns"), {});
    fleet_report result;
    for (const auto& each : x.at("instances").as_array())
      result.instances.push_back(instance(each.as_object()));
    for (const auto& each : x.at("samples").as_array())
      if (auto sample = parse_sample(std::string_view{each.as_string()})) {
        sample->at += shift_;
        result.samples.push_back(std::move(*sample));
      }
    result.events = events(x.at("events").as_object());
    result.host = host_from_json(x.at("host").as_object(), shift_);
    result.max_instances = x.at("max").to_number<size_t>();
    result.pin = maybe_number<size_t>(x.at("pin"));
    return result;
  }

private:
  static steady::time_point time_of(const json::value& x, steady::duration shift) {
    return steady::time_point{steady::duration{x.to_number<int64_t>()}} + shift;
  }

  instance_status instance(const json::object& x) const {
    instance_status result;
    result.name = x.at("name").as_string();
    result.number = x.at("number").to_number<unsigned>();
    result.incarnation = x.at("incarnation").as_string();
    for (size_t i = 0; i < std::size(states); ++i)
      if (x.at("state").as_string() == states[i])
        result.state = static_cast<instance_state>(i);
    result.started = time_of(x.at("since_ns"), shift_);
    result.listens = x.at("listens").as_bool();
    return result;
  }

  static fleet_events events(const json::object& x) {
    fleet_events result;
    result.start_failed = x.at("start_failed").as_bool();
    result.instance_failed = x.at("instance_failed").as_bool();
    result.steer_failed = x.at("steer_failed").as_bool();
    for (const auto& each : x.at("grown_ms").as_array())
      result.grown.emplace_back(each.to_number<int64_t>());
    for (const auto& each : x.at("retired_ms").as_array())
      result.retired.emplace_back(each.to_number<int64_t>());
    result.cut = x.at("cut").to_number<uint64_t>();
    return result;
  }

  steady::time_point now_;
  steady::duration shift_{};
};

} // namespace

std::string to_json(const fleet_report& report, steady::time_point now) {
  json::array instances;
  for (const auto& each : report.instances)
    instances.push_back({{"name", each.name},
                         {"number", each.number},
                         {"incarnation", each.incarnation},
                         {"state", states[static_cast<size_t>(each.state)]},
                         {"since_ns", ns(each.started)},
                         {"listens", each.listens}});
  json::array samples;
  for (const auto& each : report.samples)
    samples.emplace_back(to_json(each));
  const auto& events = report.events;
  return json::serialize(json::object{{"now_ns", ns(now)},
                                      {"max", report.max_instances},
                                      {"pin", maybe(report.pin)},
                                      {"instances", std::move(instances)},
                                      {"samples", std::move(samples)},
                                      {"events",
                                       {{"start_failed", events.start_failed},
                                        {"instance_failed", events.instance_failed},
                                        {"steer_failed", events.steer_failed},
                                        {"grown_ms", durations(events.grown)},
                                        {"retired_ms", durations(events.retired)},
                                        {"cut", events.cut}}},
                                      {"host", host_to_json(report.host)}});
}

caf::expected<fleet_report> parse_report(std::string_view text, steady::time_point now) {
  try {
    return reader{now}.read(json::parse(json::string_view{text.data(), text.size()}).as_object());
  } catch (const std::exception& why) {
    return caf::make_error(errc::invalid_argument,
                           std::string{"no report of a fleet: "} + why.what());
  }
}

} // namespace caf_app::scaler

#include "actors/scaler/host_json.hpp"

#include <boost/json.hpp>

#include "actors/scaler/maybe_json.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

json::object host_to_json(const host_sample& host) {
  return {{"at_ns", host.at.time_since_epoch().count()},
          {"cores", host.cores},
          {"idle_cores", maybe(host.idle_cores)},
          {"throttled", maybe(host.throttled)},
          {"memory_available", maybe(host.memory_available)}};
}

host_sample host_from_json(const json::object& x, steady::duration shift) {
  host_sample result;
  result.at = steady::time_point{steady::duration{x.at("at_ns").to_number<int64_t>()}} + shift;
  result.cores = x.at("cores").to_number<double>();
  result.idle_cores = maybe_number<double>(x.at("idle_cores"));
  result.throttled = maybe_number<double>(x.at("throttled"));
  result.memory_available = maybe_number<uint64_t>(x.at("memory_available"));
  return result;
}

} // namespace caf_app::scaler

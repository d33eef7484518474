// What a dispatcher tells about its load, and how many workers it is told to have: its JSON face,
// for whoever scales it.
//
//   {"method": "load"}                       -> an object, see load_text()
//   {"method": "workers", "params": 3}       -> 3; null: as many as the configuration says
#include "actors/eval/dispatcher_actor.hpp"

#include <boost/json.hpp>

namespace caf_app::eval {

namespace {

namespace data = boost::json; // `json` is the evaluator's own

/// As many waiting calls say enough about all.
constexpr size_t waits_max = 1024;

double us(load_meter::duration x) { return std::chrono::duration<double, std::micro>(x).count(); }

data::value maybe_us(const std::optional<load_meter::duration>& x) {
  return x ? data::value(us(*x)) : data::value(nullptr);
}

} // namespace

std::string dispatcher_actor::load_text() const {
  const auto now = loop()->now();
  std::vector<load_meter::duration> waiting;
  for (const auto& [id, call] : calls_)
    if (call.handed_over == time_point{} && waiting.size() < waits_max)
      waiting.push_back(now - call.arrived);
  const auto load = meter_.look(std::move(waiting), now);
  const auto workers = pool_.count();
  data::array pids;
  for (const auto& [id, worker] : workers_)
    if (worker.pid > 0)
      pids.emplace_back(worker.pid);
  return data::serialize(data::object{{"workers", pool_.workers_max()},
                                      {"starting", workers.starting},
                                      {"unbound", workers.unbound},
                                      {"bound", workers.bound},
                                      {"busy", workers.busy},
                                      {"queue", pool_.waiting()},
                                      {"queue_max", options_->config.queue_max},
                                      {"calls", load.calls},
                                      {"rejected", load.rejected},
                                      {"busy_us", us(load.busy)},
                                      {"wait_p50_us", maybe_us(load.wait_p50)},
                                      {"wait_p99_us", maybe_us(load.wait_p99)},
                                      {"service_p50_us", maybe_us(load.service_p50)},
                                      {"service_mean_us", maybe_us(load.service_mean)},
                                      {"compiling", options_->state->compiling.load()},
                                      {"pids", std::move(pids)}});
}

caf::result<json_reply> dispatcher_actor::on_order(const json_request& order) {
  if (order.method == "load")
    return json_reply{load_text()};
  if (order.method != "workers")
    return caf::make_error(errc::invalid_argument,
                           "found the method \"" + order.method + "\", expected load or workers");
  const auto& sender = current_sender();
  if (!sender || sender->node() != system().node())
    return caf::make_error(errc::denied, "workers are set from the node itself only");
  data::error_code failed;
  const auto count = data::parse(order.params, failed);
  auto wanted = options_->config.workers;
  if (failed || !count.is_null()) {
    const auto* number = failed ? nullptr : count.if_int64();
    if (!number || *number < 1 || *number > static_cast<int64_t>(limit::workers_max))
      return caf::make_error(errc::invalid_argument,
                             "found " + order.params + ", expected a number of workers of 1 to " +
                                 std::to_string(limit::workers_max) + ", or null");
    wanted = static_cast<size_t>(*number);
  }
  pool_.set_workers(wanted);
  pump();
  return json_reply{std::to_string(wanted)};
}

} // namespace caf_app::eval

#include "actors/scaler/eval_keeper_actor.hpp"

#include <boost/json.hpp>

#include "actors/scaler/eval_report.hpp"
#include "actors/scaler/host_probe.hpp"
#include "actors/scaler/scaler_options.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

class keeper {
public:
  keeper(app_actor* self, const eval_keeper_options& options) : self_(self), options_(options) {}

  std::chrono::milliseconds period() const { return options_.board->options().period; }

  /// Asks the dispatcher how it is. @param state keeps this alive
  void measure(const std::shared_ptr<keeper>& state) {
    const auto dispatcher = options_.dispatcher();
    if (!dispatcher)
      return;
    self_->ask(dispatcher, answer_time, json_request{"load", "null"})
        .then([state](const json_reply& load) { state->take(load.value); },
              [](caf::error&) {}); // it restarts: the last sample gets stale
  }

  std::string report() const { return to_json(last_, options_.now()); }

  caf::result<json_reply> obey(const json_request& order) {
    const auto master = options_.master();
    if (!master || caf::actor_cast<caf::actor_addr>(self_->current_sender()) != master.address())
      return caf::make_error(errc::denied, "only the scaler of this evaluator is obeyed");
    if (order.method == "show")
      return show(order.params);
    if (order.method != "workers")
      return caf::make_error(errc::invalid_argument, "no such order: " + order.method);
    const auto dispatcher = options_.dispatcher();
    if (!dispatcher)
      return caf::make_error(errc::noproc, "the dispatcher starts");
    auto promise = self_->make_response_promise<caf::typed_response_promise<json_reply>>();
    self_->ask(dispatcher, answer_time, order)
        .then([promise](json_reply& done) mutable { promise.deliver(std::move(done)); },
              [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
    return promise;
  }

private:
  void take(const std::string& load) {
    auto sums = parse_load(load);
    if (!sums)
      return;
    for (const auto pid : sums->pids)
      if (const auto times = options_.times(pid))
        sums->times[pid] = *times;
    const auto now = options_.now();
    last_.workers = sums->workers;
    last_.host = options_.host(now);
    last_.sample = meter_.sample(*sums, now);
  }

  caf::result<json_reply> show(const std::string& params) {
    try {
      const auto value = json::parse(params);
      std::vector<std::string> lines;
      for (const auto& each : value.at("lines").as_array())
        lines.emplace_back(each.as_string());
      options_.board->show(std::string{value.at("state").as_string()}, std::move(lines));
    } catch (const std::exception& why) {
      return caf::make_error(errc::invalid_argument, std::string{"show: "} + why.what());
    }
    return json_reply{"null"};
  }

  app_actor* self_;
  eval_keeper_options options_;
  eval_meter meter_;
  eval_report last_;
};

} // namespace

std::optional<process_times> read_process_times(int pid) {
  const auto text = read_text("/proc/" + std::to_string(pid) + "/schedstat");
  if (!text)
    return std::nullopt;
  const auto run = parse_run_ns(*text);
  const auto delay = parse_run_delay_ns(*text);
  return run && delay ? std::optional{process_times{*run, *delay}} : std::nullopt;
}

caf::behavior eval_keeper_actor(named_actor<"scaler.eval_keeper">* self,
                                const eval_keeper_options& options) {
  const auto state = std::make_shared<keeper>(self, options);
  self->send(self, caf::tick_atom_v);
  return {[self, state](caf::tick_atom) {
            state->measure(state);
            self->delayed_send(self, state->period(), caf::tick_atom_v);
          },
          [state](const json_request& order) -> caf::result<json_reply> {
            if (order.method == "look")
              return json_reply{state->report()};
            return state->obey(order);
          }};
}

} // namespace caf_app::scaler

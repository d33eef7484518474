#include "actors/scaler/scaler_brain.hpp"

#include <boost/json.hpp>

#include "actors/scaler/maybe_json.hpp"
#include "actors/scaler/replay.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

constexpr std::chrono::seconds frozen_after{10}; // without a sample, while its process lives

std::string text_of(instance_state state) {
  switch (state) {
    case instance_state::starting: return "starting";
    case instance_state::ready: return "ready";
    case instance_state::draining: return "draining";
  }
  return "";
}

/// The share of its time that the busiest loop of an instance had something to do.
json::value busiest(const instance_view& view) {
  std::optional<double> result;
  if (view.sample)
    for (const auto& busy : view.sample->loop_busy)
      if (busy && *busy >= result.value_or(0))
        result = busy;
  return maybe(result);
}

} // namespace

scaler_brain::scaler_brain(scaler_brain_options options)
    : options_(std::move(options)), set_(options_.board->options()), classifier_(set_),
      policy_(set_, options_.board->max_instances(), steady_now()), rebalancer_(set_),
      log_(options_.target, set_.log_period), decisions_(file("decisions.jsonl")),
      ticks_(file("ticks.log")), metrics_(*options_.books, options_.target) {
  ticks_.write(start_line(steady_now(), options_.board->max_instances()));
}

void scaler_brain::step(bool owner) {
  const auto now = steady_now();
  take_settings();
  const auto views = look(now);
  const auto events = options_.fleet->take_events();
  metrics_.count_events(events);
  tick t;
  t.now = now;
  const auto& evaluators = options_.evaluators;
  t.inputs = classifier_.classify(
      views, options_.fleet->host(now),
      evaluators ? evaluators->look(now, set_.stale_after) : std::nullopt, now);
  t.events = {events.start_failed, events.instance_failed, events.steer_failed};
  t.owner = owner;
  for (const auto& view : views)
    t.instances.push_back(fact_of(view, now));
  ticks_.write(tick_line(t));
  const auto made = policy_.step(t);
  if (made.applied)
    act(made);
  const auto orders = rebalancer_.step(views, made.applied && made.what == action::rebalance, now);
  if (t.owner && !set_.dry_run)
    carry_out(orders);
  show(made, views, now);
}

std::filesystem::path scaler_brain::file(const char* name) const {
  return options_.folder.empty() ? std::filesystem::path{} : options_.folder / name;
}

void scaler_brain::take_settings() {
  set_ = options_.board->options();
  classifier_.set_options(set_);
  rebalancer_.set_options(set_);
  policy_.configure(set_, options_.board->max_instances());
  const auto pin = options_.board->pinned();
  if (pin != policy_.pinned() && policy_.pin(pin))
    ticks_.write(pin_line(pin));
}

/// The instances with their last samples. One is ready when its first sample has come.
std::vector<instance_view> scaler_brain::look(steady::time_point now) {
  for (auto& sample : options_.fleet->samples())
    last_[sample.instance] = std::move(sample);
  std::vector<instance_view> result;
  for (const auto& status : options_.fleet->list()) {
    instance_view view;
    view.name = status.name;
    view.number = status.number;
    view.incarnation = status.incarnation;
    view.state = status.state;
    view.started = status.started;
    view.listens = status.listens;
    const auto found = last_.find(status.name);
    if (found != last_.end() && found->second.incarnation == status.incarnation)
      view.sample = found->second;
    if (view.state == instance_state::ready && !view.sample)
      view.state = instance_state::starting;
    if (view.state == instance_state::ready && view.number != 1 && view.sample &&
        now - view.sample->at > frozen_after) {
      options_.log->warning(options_.speaker, "an instance does not answer and is replaced",
                            {{"instance", view.name}});
      options_.fleet->replace(view.name);
    }
    result.push_back(std::move(view));
  }
  return result;
}

instance_fact scaler_brain::fact_of(const instance_view& view, steady::time_point now) const {
  const auto fresh = view.sample && now - view.sample->at <= set_.stale_after;
  return {view.name,
          view.number,
          view.state,
          fresh,
          view.listens,
          view.sample ? view.sample->in_flight.value_or(0) : 0,
          view.sample ? view.sample->connections.value_or(0) : 0,
          view.started};
}

void scaler_brain::act(const decision& made) {
  if (made.what == action::grow && !made.victim.empty())
    options_.fleet->revoke(made.victim);
  else if (made.what == action::grow)
    options_.fleet->launch();
  else if (made.what == action::shrink)
    options_.fleet->retire(made.victim);
}

void scaler_brain::carry_out(const rebalancer::orders& orders) {
  for (const auto& [name, count] : orders.nudges)
    options_.fleet->nudge(name, count);
  if (!orders.attract.empty() && set_.rebalance_window.count() > 0)
    options_.fleet->attract(orders.attract, set_.rebalance_window);
}

void scaler_brain::show(const decision& made, const std::vector<instance_view>& views,
                        steady::time_point now) {
  size_t counts[3] = {};
  json::array instances;
  std::map<std::string, steady::time_point> samples;
  for (const auto& view : views) {
    ++counts[static_cast<size_t>(view.state)];
    if (view.sample)
      samples[view.name] = view.sample->at;
    instances.push_back(
        {{"name", view.name},
         {"incarnation", view.incarnation},
         {"state", text_of(view.state)},
         {"connections", view.sample ? view.sample->connections.value_or(0) : 0},
         {"in_flight", view.sample ? maybe(view.sample->in_flight) : json::value{}},
         {"busy", busiest(view)},
         {"rss_bytes", view.sample ? view.sample->rss_bytes.value_or(0) : 0},
         {"sample_age_ms",
          view.sample ? std::chrono::duration<double, std::milli>(now - view.sample->at).count()
                      : -1.0}});
  }
  const auto line = log_.note(made, now, options_.time_of_day());
  if (line)
    decisions_.write(*line);
  if (line && made.applied && made.what != action::rebalance)
    options_.log->info(options_.speaker, to_string(made.what),
                       {{"to", made.wanted},
                        {"reason", to_string(made.why)},
                        {"verdict", to_string(made.inputs.what)}});
  const auto pin = policy_.pinned();
  const json::object state{{"target", options_.target},
                           {"verdict", to_string(made.inputs.what)},
                           {"reason", to_string(made.why)},
                           {"held_by", to_string(made.held_by)},
                           {"wanted", policy_.wanted()},
                           {"max", options_.board->max_instances()},
                           {"pinned", maybe(pin)},
                           {"dry_run", set_.dry_run},
                           {"rps", made.inputs.rps},
                           {"u", made.inputs.u.value_or(0)},
                           {"instances", std::move(instances)}};
  options_.board->show(json::serialize(state),
                       line ? std::vector{*line} : std::vector<std::string>{});
  metrics_.show_instances(counts[1], counts[0], counts[2], policy_.wanted());
  metrics_.show_decision(made, line.has_value());
  metrics_.show_samples(samples);
  metrics_.show_state(policy_.in_panic(now), pin.has_value(), set_.dry_run, policy_.penalty());
}

} // namespace caf_app::scaler

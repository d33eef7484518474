#include "nodes/process_fleet.hpp"

#include <unistd.h>

#include <algorithm>

#include "actors/scaler/sample_json.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/base/units.hpp"
#include "nodes/hex.hpp"

namespace caf_app {

namespace {

constexpr std::string_view sample_word = "sample ";
const log_speaker fleet_speaker{"scaler", 0};

std::chrono::milliseconds since(steady::time_point then, steady::time_point now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now - then);
}

} // namespace

process_fleet::process_fleet(process_fleet_options options)
    : options_(std::move(options)), started_(steady_now()) {}

std::shared_ptr<process_fleet> process_fleet::make(process_fleet_options options) {
  std::shared_ptr<process_fleet> result{new process_fleet(std::move(options))};
  launcher_options launching;
  launching.loop = result->options_.loop;
  launching.lines = [self = result](std::string_view name, std::string_view line) {
    self->on_line(name, line);
  };
  launching.events = [self = result](const process_event& event) { self->on_event(event); };
  result->launcher_ = launcher::make(std::move(launching));
  result->metrics_ =
      std::make_shared<instance_metrics>([weak = std::weak_ptr{result}](const std::string& line) {
        const auto self = weak.lock();
        return self ? self->tell_all(line) : std::vector<std::string>{};
      });
  return result;
}

void process_fleet::note_sample(const scaler::web_sample& sample) {
  std::function<void()> wake;
  {
    const std::lock_guard guard{mutex_};
    samples_[sample.instance] = sample;
    const auto found = instances_.find(sample.instance);
    if (found != instances_.end())
      found->second.in_flight = sample.in_flight.value_or(found->second.in_flight);
    const auto first = found != instances_.end() && !std::exchange(found->second.sampled, true);
    if (first || sample.instance == options_.node)
      wake = wake_;
  }
  if (wake)
    wake();
}

void process_fleet::on_news(std::function<void()> wake) {
  const std::lock_guard guard{mutex_};
  wake_ = std::move(wake);
}

scaler::host_sample process_fleet::host(steady::time_point now) {
  const std::lock_guard guard{mutex_};
  return host_.sample(now);
}

void process_fleet::on_line(std::string_view name, std::string_view line) {
  if (line.starts_with(sample_word)) {
    line.remove_prefix(sample_word.size());
    if (auto sample = scaler::parse_sample(line); sample && sample->instance == name)
      note_sample(*sample);
  } else if (!on_retirement(std::string{name}, line) && !metrics_->note(name, line) &&
             options_.lines) {
    options_.lines(name, line);
  }
}

void process_fleet::on_event(const process_event& event) {
  switch (event.kind) {
    case process_event_kind::started: {
      {
        const std::lock_guard guard{mutex_};
        if (const auto found = instances_.find(event.name); found != instances_.end()) {
          found->second.sampled = false;
          found->second.in_flight = 0;
          found->second.ring.clear();
        }
      }
      return tell_state(); // waits in its stdin until it listens
    }
    case process_event_kind::ready: return on_ready(event.name);
    case process_event_kind::ended: return on_end(event.name);
    case process_event_kind::restarting: return on_restart(event);
    case process_event_kind::gave_up: {
      options_.log->error(fleet_speaker, "an instance cannot be kept running and is given up",
                          {{"instance", event.name}, {"last_end", event.text}});
      const std::lock_guard guard{mutex_};
      if (instances_.erase(event.name) > 0)
        events_.instance_failed = true;
    }
  }
}

// One that was never ready is forgotten by now: see on_end().
void process_fleet::on_restart(const process_event& event) {
  {
    const std::lock_guard guard{mutex_};
    if (!instances_.count(event.name))
      return options_.log->warning(fleet_speaker, "an instance could not be started",
                                   {{"instance", event.name}, {"reason", event.text}});
  }
  options_.log->warning(
      fleet_speaker, "an instance has failed and is started again",
      {{"instance", event.name}, {"reason", event.text}, {"after", format_duration(event.delay)}});
}

void process_fleet::on_ready(const std::string& name) {
  const std::lock_guard guard{mutex_};
  const auto found = instances_.find(name);
  if (found == instances_.end() || found->second.was_ready)
    return;
  found->second.was_ready = true;
  events_.grown.push_back(since(found->second.since, steady_now()));
}

// Whatever it has steered is of no use any more.
void process_fleet::on_end(const std::string& name) {
  options_.web->unsteer();
  metrics_->forget(name);
  {
    const std::lock_guard guard{mutex_};
    const auto found = instances_.find(name);
    if (found == instances_.end())
      return;
    if (found->second.draining) {
      events_.retired.push_back(since(found->second.since, steady_now()));
      events_.cut += found->second.cut ? found->second.in_flight : 0;
    } else if (!found->second.was_ready) {
      events_.start_failed = true; // a first start is not repeated: the scaler tries again later
    } else {
      return; // a crash: the launcher repairs it
    }
    instances_.erase(found);
  }
  launcher_->stop(name);
}

std::vector<scaler::instance_status> process_fleet::list() {
  const auto now = steady_now();
  check_deadlines(now);
  tell_state();
  std::vector<scaler::instance_status> result;
  result.push_back(
      {options_.node, 1, std::to_string(::getpid()), scaler::instance_state::ready, started_});
  const auto processes = launcher_->list();
  const std::lock_guard guard{mutex_};
  for (const auto& process : processes) {
    const auto found = instances_.find(process.name);
    if (found == instances_.end())
      continue;
    const auto& known = found->second;
    scaler::instance_status status{
        process.name, known.number, std::to_string(process.pid), scaler::instance_state::starting,
        known.since,  known.listens};
    if (known.returning)
      status.state = scaler::instance_state::starting;
    else if (known.draining || process.state == process_state::stopping)
      status.state = scaler::instance_state::draining;
    else if (process.state == process_state::ready)
      status.state = scaler::instance_state::ready;
    result.push_back(std::move(status));
  }
  return result;
}

void process_fleet::check_deadlines(steady::time_point now) {
  const auto deadline = options_.board->options().retire_deadline;
  std::vector<std::string> late;
  {
    const std::lock_guard guard{mutex_};
    for (auto& [name, each] : instances_)
      if (each.draining && !each.returning && !each.cut && now - each.since > deadline) {
        each.cut = true;
        late.push_back(name);
      }
  }
  for (const auto& name : late)
    launcher_->stop(name);
}

// What all processes of the node have to agree on: the keys of session tickets, which turn here,
// and among how many the rates of the host are divided.
void process_fleet::tell_state() {
  const auto ring = options_.web->ticket_keys().ring();
  std::vector<std::pair<std::string, std::string>> orders;
  size_t serving = 1;
  {
    const std::lock_guard guard{mutex_};
    for (const auto& [name, each] : instances_)
      serving += each.was_ready && !each.draining ? 1 : 0;
    for (auto& [name, each] : instances_) {
      const auto shares = serving + (each.was_ready ? 0 : 1); // it may be the next one
      const auto fresh = each.ring.empty();
      if (each.ring != ring)
        orders.emplace_back(name, "ring " + to_hex(each.ring = ring));
      if (fresh || each.shares != shares)
        orders.emplace_back(name, "share " + std::to_string(each.shares = shares));
    }
  }
  for (auto& [name, order] : orders)
    launcher_->tell(name, std::move(order));
  if (shares_.exchange(serving) != serving)
    options_.web->share_rates(serving);
}

std::vector<std::string> process_fleet::tell_all(const std::string& line) {
  std::vector<std::string> result;
  for (const auto& process : launcher_->list())
    if (process.state == process_state::ready) {
      launcher_->tell(process.name, line);
      result.push_back(process.name);
    }
  return result;
}

// Those that start read the file that counts.
void process_fleet::reload() { tell_all("reload"); }

std::vector<scaler::web_sample> process_fleet::samples() {
  const std::lock_guard guard{mutex_};
  std::vector<scaler::web_sample> result;
  for (const auto& [name, sample] : samples_)
    result.push_back(sample);
  samples_.clear();
  return result;
}

scaler::fleet_events process_fleet::take_events() {
  const std::lock_guard guard{mutex_};
  return std::exchange(events_, {});
}

} // namespace caf_app

// What a process_fleet is told to do with its instances, and what they say to being retired.
#include <algorithm>

#include "caf_app/base/time.hpp"
#include "nodes/process_fleet.hpp"

namespace caf_app {

namespace {

constexpr std::string_view steer_failed_word = "steer_failed";
constexpr std::string_view stays_word = "stays";   // the retirement was revoked
constexpr std::string_view leaves_word = "leaves"; // it was too late for that

} // namespace

/// @returns whether the line was about that
bool process_fleet::on_retirement(const std::string& name, std::string_view line) {
  if (line != steer_failed_word && line != stays_word && line != leaves_word)
    return false;
  const std::lock_guard guard{mutex_};
  const auto found = instances_.find(name);
  if (found == instances_.end())
    return true;
  auto& each = found->second;
  each.returning = false;
  each.draining = line == leaves_word;
  each.listens = !each.draining;
  events_.steer_failed = events_.steer_failed || line == steer_failed_word;
  return true;
}

void process_fleet::launch() {
  process_spec spec;
  {
    const std::lock_guard guard{mutex_};
    unsigned number = 2;
    const auto taken = [&] {
      return std::any_of(instances_.begin(), instances_.end(),
                         [&](const auto& each) { return each.second.number == number; });
    };
    while (taken())
      ++number;
    spec.name = options_.node + "." + std::to_string(number);
    auto& fresh = instances_[spec.name] = {};
    fresh.number = number;
    fresh.since = steady_now();
    samples_.erase(spec.name);
  }
  spec.arguments = options_.command;
  spec.arguments.emplace_back("--instance");
  spec.arguments.push_back(spec.name);
  spec.takes_commands = true;
  spec.timing = {options_.board->options().start_timeout, options_.stop_timeout};
  if (launcher_->launch(spec)) { // its name is in use: it is about to end
    const std::lock_guard guard{mutex_};
    instances_.erase(spec.name);
    events_.start_failed = true;
  }
}

void process_fleet::retire(const std::string& name) {
  {
    const std::lock_guard guard{mutex_};
    const auto found = instances_.find(name);
    if (found == instances_.end())
      return;
    auto& each = found->second;
    each.draining = each.listens = true;
    each.returning = false;
    each.since = steady_now();
  }
  launcher_->tell(name, "retire");
}

// It says what came of it: stays or leaves.
void process_fleet::revoke(const std::string& name) {
  {
    const std::lock_guard guard{mutex_};
    const auto found = instances_.find(name);
    if (found == instances_.end() || !found->second.draining || !found->second.listens)
      return;
    found->second.returning = true;
  }
  launcher_->tell(name, "stay");
}

void process_fleet::replace(const std::string& name) { launcher_->kill(name); }

void process_fleet::purge(const std::string& json) {
  for (const auto& process : launcher_->list()) // also those that start
    launcher_->tell(process.name, "purge " + json);
}

void process_fleet::nudge(const std::string& name, size_t count) {
  if (name == options_.node)
    options_.web->nudge(count);
  else
    launcher_->tell(name, "nudge " + std::to_string(count));
}

void process_fleet::attract(const std::string& name, std::chrono::milliseconds window) {
  if (name != options_.node)
    launcher_->tell(name, "attract " + std::to_string(window.count()));
  else if (run_)
    run_([web = options_.web, window] { web->attract(window); });
}

} // namespace caf_app

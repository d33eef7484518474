#include "caf_app/process/launcher.hpp"

#include <algorithm>

#include <caf/send.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/base/error_detail.hpp"
#include "caf_app/loop/loop_actor.hpp"
#include "caf_app/process/process_actor.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds grace{1}; // of a supervisor, beyond what its child may take

bool is_over(process_state state) {
  return state == process_state::ended || state == process_state::failed;
}

std::chrono::milliseconds stop_time(const process_spec& spec) {
  return spec.timing.stop + limits::process::kill_grace;
}

} // namespace

std::shared_ptr<launcher> launcher::make(launcher_options options) {
  return std::shared_ptr<launcher>{new launcher(std::move(options))};
}

child_spec launcher::spec() {
  child_spec result;
  result.id = options_.id;
  result.kind = child_kind::supervisor;
  result.shutdown_timeout = limits::process::stop_timeout + limits::process::kill_grace + 2 * grace;
  result.start = [self = shared_from_this()](const start_context& start) {
    return self->start_keepers(start);
  };
  return result;
}

/// A new incarnation of the supervisor above all.
caf::expected<caf::actor> launcher::start_keepers(const start_context& start) {
  const std::lock_guard guard{mutex_};
  supervisor_options options;
  options.log = [self = shared_from_this(), mine = join_path(start.path, ""),
                 above = start.log](const supervision_event& event) {
    if (std::string_view name = event.path; name.starts_with(mine)) {
      name.remove_prefix(mine.size());
      self->on_keeper_event(name, event.kind); // deeper paths name no process
    }
    if (above)
      above(event);
  };
  for (auto& [name, which] : entries_) {
    which.kept = !is_over(which.place->info().state);
    if (which.kept)
      options.children.push_back(keeper_of(which.place));
  }
  auto actor = supervisor_child(options_.id, std::move(options), {}).start(start);
  if (!actor)
    return actor;
  keeper_ = *actor;
  for (const auto& [name, which] : entries_)
    if (which.place->stop_asked)
      stop_locked(which); // its predecessor may have missed that
  return actor;
}

/// The supervisor of one process. Temporary: it ends with its process, or when it gives up.
child_spec launcher::keeper_of(const process_place_ptr& place) {
  child_spec process;
  process.id = "process";
  process.restart = place->spec.restart;
  process.shutdown_timeout = stop_time(place->spec);
  process.significant = process.restart != restart_type::permanent;
  process.start = [place, loop = options_.loop, lines = options_.lines, events = options_.events](
                      const start_context& start) -> caf::expected<caf::actor> {
    return spawn_on<process_actor>(start.system, loop, place, lines, events);
  };
  child_spec result;
  result.id = place->spec.name;
  result.kind = child_kind::supervisor;
  result.restart = restart_type::temporary;
  result.shutdown_timeout = process.shutdown_timeout + grace;
  result.start = [self = shared_from_this(), place, process](const start_context& start) {
    supervisor_options options;
    options.restart = place->spec.restarts;
    options.children.push_back(process);
    options.log = [self, place, above = start.log](const supervision_event& event) {
      if (!self->on_process_event(place, event) && above)
        above(event);
    };
    return supervisor_child(place->spec.name, std::move(options), {}).start(start);
  };
  return result;
}

// The supervisor of a process is gone: with its process, with the attempts to start it, or because
// somebody killed it. Its id is free once this call has returned.
void launcher::on_keeper_event(std::string_view name, supervision_event_kind kind) {
  if (kind != supervision_event_kind::ended)
    return;
  const std::lock_guard guard{mutex_};
  const auto found = entries_.find(name);
  if (found == entries_.end())
    return;
  auto& which = found->second;
  which.kept = false;
  if (is_over(which.place->info().state))
    return;
  if (which.place->stop_asked && which.place->info().state == process_state::waiting)
    which.place->show([](process_info& x) { x.state = process_state::ended; });
  else
    keep_locked(which); // a new process of the same name, or one without a keeper
}

// Ends of a process are told as such. That its actor alone was killed concerns the tree only.
bool launcher::on_process_event(const process_place_ptr& place,
                                const supervision_event& event) const {
  if (event.kind == supervision_event_kind::gave_up)
    place->show([](process_info& x) { x.state = process_state::failed; });
  const auto now = place->info();
  process_event told{process_event_kind::gave_up, now.name, 0, now.last_end, {}};
  switch (event.kind) {
    case supervision_event_kind::gave_up: break;
    case supervision_event_kind::restarting:
      if (now.state != process_state::waiting)
        return false;
      told.kind = process_event_kind::restarting;
      told.text = detail_of(event.reason);
      told.delay = std::chrono::round<std::chrono::milliseconds>(event.delay);
      break;
    case supervision_event_kind::ended:
      return options_.events != nullptr &&
             (now.state == process_state::waiting || is_over(now.state));
    default: return false;
  }
  if (options_.events)
    options_.events(told);
  return options_.events != nullptr;
}

caf::error launcher::launch(process_spec what) {
  if (what.name.empty() || what.name.find('/') != std::string::npos || what.arguments.empty())
    return caf::make_error(errc::invalid_argument,
                           "a process needs a name without '/', and a program; found \"" +
                               what.name + "\"");
  const std::lock_guard guard{mutex_};
  auto& which = entries_[what.name];
  if (which.place && !is_over(which.place->info().state))
    return caf::make_error(errc::conflict, "a process is named \"" + what.name + "\" already");
  which.place = std::make_shared<process_place>(std::move(what));
  if (!which.kept)
    keep_locked(which);
  return caf::none;
}

void launcher::keep_locked(entry& which) {
  if (!keeper_) // its first incarnation will
    return;
  which.kept = true;
  caf::anon_send(keeper_, add_child{std::make_shared<child_spec>(keeper_of(which.place))});
  if (which.place->stop_asked)
    stop_locked(which);
}

caf::error launcher::stop(const std::string& name) {
  const std::lock_guard guard{mutex_};
  const auto found = entries_.find(name);
  if (found == entries_.end() || is_over(found->second.place->info().state))
    return caf::make_error(errc::not_found, "no process is named \"" + name + "\"");
  stop_locked(found->second);
  return caf::none;
}

process_place_ptr launcher::find(const std::string& name) const {
  const std::lock_guard guard{mutex_};
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second.place;
}

void launcher::tell(const std::string& name, std::string line) {
  if (auto place = find(name))
    options_.loop->post([place, line = std::move(line)] {
      if (place->running)
        place->running->tell(line);
    });
}

void launcher::kill(const std::string& name) {
  if (auto place = find(name))
    options_.loop->post([place] {
      if (place->running)
        place->running->kill();
    });
}

void launcher::stop_all() {
  const std::lock_guard guard{mutex_};
  for (const auto& [name, which] : entries_)
    stop_locked(which);
}

void launcher::stop_locked(const entry& which) const {
  if (is_over(which.place->info().state))
    return;
  which.place->stop_asked = true;
  if (which.kept)
    caf::anon_send(keeper_, remove_child{which.place->spec.name});
  else
    which.place->show([](process_info& x) { x.state = process_state::ended; });
}

bool launcher::idle() const {
  const std::lock_guard guard{mutex_};
  return std::all_of(entries_.begin(), entries_.end(),
                     [](const auto& each) { return is_over(each.second.place->info().state); });
}

std::vector<process_info> launcher::list() const {
  const std::lock_guard guard{mutex_};
  std::vector<process_info> result;
  for (const auto& [name, which] : entries_)
    result.push_back(which.place->info());
  return result;
}

} // namespace caf_app

#include "caf_app/process/process_actor.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "caf_app/base/time.hpp"

namespace caf_app {

namespace {

constexpr int reads_per_event = 4; // then the other sockets of the loop have their turn

/// Passes what a pipe holds right now to `on_bytes`, at most `reads` buffers full.
/// @returns whether the other end is gone
template <class F>
bool read_pipe(event_loop& loop, int fd, int reads, F on_bytes) {
  const auto buffer = loop.scratch();
  while (reads-- > 0) {
    const auto n = ::read(fd, buffer.data(), buffer.size());
    if (n > 0)
      on_bytes(std::string_view{buffer.data(), static_cast<size_t>(n)});
    else if (n == 0)
      return true;
    else if (errno != EINTR)
      return errno != EAGAIN;
  }
  return false;
}

void close(watched_fd*& handler) {
  if (handler)
    std::exchange(handler, nullptr)->close();
}

} // namespace

process_actor::process_actor(caf::actor_config& cfg, event_loop* loop, process_place_ptr place,
                             process_lines lines, process_events events)
    : loop_app_actor(cfg, loop), place_(std::move(place)), lines_(std::move(lines)),
      events_(std::move(events)), timer_([this] {
        do_step(place_->plan ? place_->plan->on_time(this->loop()->now())
                             : process_plan::step::none);
      }) {}

caf::behavior process_actor::make_behavior() {
  set_exit_handler([this](caf::exit_msg& x) { on_exit_message(x); });
  if (!place_->running)
    if (auto err = start()) {
      quit(std::move(err));
      return {};
    }
  watch_process();
  return {[this](caf::tick_atom) { on_process_end(); }}; // from its pidfd
}

caf::error process_actor::start() {
  auto process =
      child_process::start(place_->spec.arguments, place_->spec.folder,
                           place_->spec.takes_commands ? child_input::pipe : child_input::none);
  if (!process) {
    place_->show([&](process_info& x) { x.last_end = describe(process.error()); });
    return std::move(process.error());
  }
  place_->running = std::move(*process);
  place_->plan.emplace(place_->spec, loop()->now());
  place_->output = line_splitter{};
  place_->errors = line_splitter{};
  place_->show([this](process_info& x) {
    x.state = place_->spec.says_ready ? process_state::starting : process_state::ready;
    x.pid = place_->running->pid();
    x.addresses.clear();
    ++x.starts;
  });
  report(process_event_kind::started);
  if (!place_->spec.says_ready)
    report(process_event_kind::ready);
  return caf::none;
}

void process_actor::watch_process() {
  const auto& process = *place_->running;
  end_ = watched_fd::open(*loop(), process.pidfd(), [this] {
    close(end_);
    eq_impl(caf::make_message_id(), nullptr, loop(), caf::tick_atom_v);
  });
  output_ = watched_fd::open(*loop(), process.output(), [this] { on_output(); });
  errors_ = watched_fd::open(*loop(), process.errors(), [this] { on_errors(); });
  if (!end_ || !output_ || !errors_) {
    process.kill(); // nobody could see how it ends
    quit(caf::make_error(errc::start_failed, "no descriptor left to watch a process"));
    return;
  }
  arm();
}

void process_actor::on_exit_message(const caf::exit_msg& x) {
  if (!x.reason) // normal: ignored, as everywhere
    return;
  if (!place_->running) {
    quit(x.reason);
    return;
  }
  place_->show([](process_info& shown) { shown.state = process_state::stopping; });
  do_step(place_->plan->stop(loop()->now()));
}

void process_actor::on_output() {
  const auto ended = read_pipe(*loop(), place_->running->output(), reads_per_event,
                               [this](std::string_view bytes) {
                                 place_->output.feed(bytes, [this](std::string_view line) {
                                   if (place_->plan->on_line(line)) {
                                     place_->show([this](process_info& x) {
                                       x.state = process_state::ready;
                                       x.addresses = place_->plan->addresses();
                                     });
                                     report(process_event_kind::ready);
                                   }
                                   if (lines_)
                                     lines_(place_->spec.name, line);
                                 });
                               });
  if (ended)
    close(output_);
  arm();
}

void process_actor::on_errors() {
  const auto ended = read_pipe(*loop(), place_->running->errors(), reads_per_event,
                               [this](std::string_view bytes) {
                                 place_->errors.feed(bytes, [this](std::string_view line) {
                                   if (lines_)
                                     lines_(place_->spec.name, line);
                                 });
                               });
  if (ended)
    close(errors_);
}

void process_actor::on_process_end() {
  const auto how = place_->running ? place_->running->reap() : std::nullopt;
  if (!how) { // a predecessor that was about to be killed has seen it first
    if (!place_->running)
      quit(place_->info().state == process_state::waiting ? caf::make_error(errc::target_failed)
                                                          : caf::error{});
    return;
  }
  // What it said last. Not to the end of the pipes: others may hold them open.
  if (output_)
    on_output();
  if (errors_)
    on_errors();
  const auto last_line = [this](std::string_view line) {
    if (lines_)
      lines_(place_->spec.name, line);
  };
  place_->output.finish(last_line);
  place_->errors.finish(last_line);
  auto reason = place_->plan->ended(*how);
  const auto again = goes_again(reason);
  let_go();
  place_->show([&](process_info& x) {
    x.state = again ? process_state::waiting : process_state::ended;
    x.pid = 0;
    x.last_end = to_string(*how);
  });
  report(process_event_kind::ended, to_string(*how));
  place_->running = nullptr;
  place_->plan.reset();
  quit(std::move(reason));
}

/// @returns whether its supervisor will start the process again, unless it gives up
bool process_actor::goes_again(const caf::error& reason) const {
  switch (place_->spec.restart) {
    case restart_type::permanent: return !place_->plan->told_to_end();
    case restart_type::transient: return is_abnormal(reason);
    case restart_type::temporary: return false;
  }
  return false;
}

void process_actor::do_step(process_plan::step step) {
  if (place_->running) {
    if (step == process_plan::step::terminate)
      place_->running->signal(SIGTERM);
    if (step == process_plan::step::kill)
      place_->running->kill();
  }
  arm();
}

void process_actor::arm() {
  const auto due = place_->plan ? place_->plan->due() : std::nullopt;
  if (due)
    loop()->timers().arm(timer_, *due);
  else
    timer_.cancel();
}

void process_actor::let_go() {
  timer_.cancel();
  close(end_);
  close(output_);
  close(errors_);
}

void process_actor::on_exit() { let_go(); }

void process_actor::report(process_event_kind kind, std::string text) const {
  if (events_)
    events_(
        {kind, place_->spec.name, place_->running ? place_->running->pid() : 0, std::move(text)});
}

} // namespace caf_app

#include "caf_app/app.hpp"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include "caf_app/base/time.hpp"
#include "caf_app/cluster/node_identity.hpp"
#include "caf_app/loop/scheduler.hpp"
#include "caf_app/loop_keeper_actor.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::milliseconds poll_period{20}; // of signals and of phases
constexpr std::chrono::seconds root_timeout{15};     // beyond the phases: actors that are left

const log_speaker speaker{"app", 0};

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const auto signal : {SIGTERM, SIGINT, SIGHUP})
    sigaddset(&set, signal);
  return set;
}

/// @returns the signal, 0 if none came within `timeout`
int wait_for_signal(std::chrono::milliseconds timeout) {
  const auto set = awaited_signals();
  const timespec limit{0, static_cast<long>(timeout.count()) * 1'000'000};
  return std::max(::sigtimedwait(&set, nullptr, &limit), 0);
}

/// Cores that this process may run on, in order.
std::vector<int> allowed_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> result;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    for (int i = 0; i < CPU_SETSIZE; ++i)
      if (CPU_ISSET(i, &set))
        result.push_back(i);
  return result;
}

void write_stderr(const std::string& text) {
  [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
}

} // namespace

void block_signals() {
  const auto set = awaited_signals();
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN); // a file at its limit is an error of write(), as a full disk is
}

struct app::configuration : caf::actor_system_config, hook_carrier {
  explicit configuration(const app_options& options) {
    const auto loops = options.loops;
    add_messages(*this);
    load<node_identity>();
    if (options.configure)
      options.configure(*this);
    const auto cores = std::max<size_t>(allowed_cores().size(), 1);
    load_scheduler(*this, cores > loops ? cores - loops : size_t{1});
  }
};

/// Ends the process if the shutdown takes too long, and says who is to blame.
class app::watchdog {
public:
  watchdog(std::chrono::milliseconds deadline, std::shared_ptr<supervision_tree> tree)
      : thread_([this, deadline, tree = std::move(tree)] {
          std::unique_lock lock{mutex_};
          if (done_changed_.wait_for(lock, deadline, [this] { return done_; }))
            return;
          write_stderr("hard deadline of the shutdown passed; still there:\n" +
                       tree->to_text(steady_now()));
          ::_exit(1);
        }) {}

  ~watchdog() {
    {
      const std::lock_guard guard{mutex_};
      done_ = true;
    }
    done_changed_.notify_one();
    thread_.join();
  }

private:
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
  std::thread thread_;
};

app::app(app_options options)
    : options_(std::move(options)), config_(std::make_unique<configuration>(options_)) {
  config_->hooks()->report = [log = options_.log](const caf::local_actor& self,
                                                  const std::string& what) {
    log->warning(speaker_of(&self), what);
  };
  system_ = std::make_unique<caf::actor_system>(*config_);
  names_ = registry::make();
  tree_ = std::make_shared<supervision_tree>();
  const auto cores = allowed_cores();
  for (size_t i = 0; i < options_.loops; ++i) {
    event_loop::options opts;
    opts.index = i;
    opts.busy_poll = options_.busy_poll;
    if (options_.pin_loops && !cores.empty())
      opts.cpu = cores[i % cores.size()];
    loops_.push_back(std::make_unique<event_loop>(*system_, opts));
  }
}

app::~app() {
  if (root_)
    end_root();
  system_->await_all_actors_done();
  loops_.clear(); // after their actors, before the system
}

std::vector<event_loop*> app::loops() const {
  std::vector<event_loop*> result;
  for (const auto& loop : loops_)
    result.push_back(loop.get());
  return result;
}

void app::start(std::vector<child_spec> children) {
  supervisor_options options;
  options.path = "root";
  options.tree = tree_;
  options.children = std::move(children);
  options.children.insert(options.children.begin(), loops_supervisor(loops(), options_.books));
  options.log = [log = options_.log](const supervision_event& event) {
    const auto ordinary =
        event.kind == supervision_event_kind::started ||
        (event.kind == supervision_event_kind::ended && !is_abnormal(event.reason));
    const auto level = ordinary ? log_level::debug : log_level::warning;
    log->write(level, {event.path, event.actor_id}, to_string(event.kind),
               {{"reason", describe(event.reason)}});
  };
  root_ = spawn_supervisor(*system_, std::move(options));
}

bool app::root_ended() const { return has_ended(*caf::actor_cast<caf::abstract_actor*>(root_)); }

int app::run() {
  wait_for_end();
  const auto failed = root_ended();
  stop_ = true;
  if (failed)
    options_.log->error(speaker, "the root supervisor gave up");
  const watchdog guard{options_.shutdown.hard_deadline, tree_};
  if (!failed)
    run_phases();
  end_root();
  system_->await_all_actors_done();
  return failed ? 1 : 0;
}

void app::wait_for_end() {
  while (!stop_ && !root_ended()) {
    switch (wait_for_signal(poll_period)) {
      case 0: break;
      case SIGHUP:
        if (reload_)
          reload_();
        break;
      default: stop_ = true;
    }
  }
}

void app::run_phases() {
  for (const auto& phase : phases_) {
    options_.log->info(speaker, "shutdown: " + phase.name);
    run_phase(phase);
  }
}

void app::run_phase(const shutdown_phase& phase) {
  if (phase.begin)
    phase.begin();
  const auto deadline = steady_now() + phase.timeout;
  while (phase.done && !phase.done()) {
    if (steady_now() >= deadline) {
      options_.log->warning(speaker, "shutdown: " + phase.name + " took too long; going on");
      return;
    }
    const auto signal = wait_for_signal(poll_period);
    if (signal == SIGTERM || signal == SIGINT) {
      write_stderr("second signal: ending at once\n");
      ::_exit(1);
    }
  }
}

void app::end_root() {
  caf::anon_send_exit(root_, caf::exit_reason::user_shutdown);
  run_phase({"stopping actors", root_timeout, nullptr, [this] { return root_ended(); }});
  if (!root_ended())
    caf::anon_send_exit(root_, caf::exit_reason::kill);
  root_ = nullptr;
}

} // namespace caf_app

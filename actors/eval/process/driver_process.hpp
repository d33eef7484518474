// A driver seen from outside, blocking: starts a zygote, has it describe itself, asks it for
// workers, calls them. Builds, tools and tests use it; worker actors speak the same frames
// asynchronously.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>

#include "actors/eval/process/child.hpp"
#include "actors/eval/process/toolchain.hpp"
#include "actors/eval/runtime/process/channel.hpp"
#include "caf_app/eval/call_port.hpp"
#include "caf_app/eval/json.hpp"

namespace caf_app::eval {

/// What `perform` of a call sends back: a value, or why the effect failed.
using effect_answer = std::variant<json, std::string>;
using effect_handler = std::function<effect_answer(effect, const json&)>;

struct worker_reply {
  int status = 0; ///< as HTTP; 502: the worker crashed, 504: no answer in time
  std::string body;
};

/// What a zygote gives away when it forks a worker.
struct forked_process {
  int pid = 0;
  owned_fd pidfd;
  owned_fd socket;
};

/// A worker forked by a zygote. Ends when this goes.
class worker_process {
public:
  worker_process(int pid, owned_fd pidfd, owned_fd socket);
  ~worker_process();

  /// Calls and waits.
  /// @param header JSON for `serve` (driver.hpp)
  /// @param timeout_ms of each frame: an effect starts it anew
  /// @param handle performs effects; empty: a call that asks for one gets 502
  worker_reply call(std::string_view header, std::string_view body, int timeout_ms,
                    const effect_handler& handle = {});

  int pid() const noexcept { return pid_; }
  int pidfd() const noexcept { return pidfd_.get(); }

private:
  int pid_;
  owned_fd pidfd_;
  channel channel_;
  uint64_t last_id_ = 0;
};

/// The zygote of a driver. Ends, with its workers, when this goes.
class driver_process {
public:
  /// Starts a driver and waits for its `hello`.
  /// @param driver path
  /// @param output descriptor for what it prints; -1: nowhere
  /// @returns the zygote, or why there is none: also if it was built for another frame_protocol
  static std::variant<std::unique_ptr<driver_process>, std::string>
  start(const toolchain& tools, const std::string& driver, int output, int timeout_ms);

  /// What `describe` of driver.hpp says, or why there is no answer.
  std::variant<json, std::string> describe(int timeout_ms);

  /// A new worker, or why there is none.
  std::variant<std::unique_ptr<worker_process>, std::string> fork_worker(int timeout_ms);

  /// The same for somebody who talks to the worker in another way.
  std::variant<forked_process, std::string> fork_process(int timeout_ms);

  int pid() const noexcept { return process_.pid(); }

private:
  driver_process(child process, owned_fd socket, uint64_t fork_key, bool busy_poll);

  std::optional<std::string> ask(frame_kind question, frame_kind answer, frame& to, int timeout_ms,
                                 std::string_view payload = {}, int descriptor = -1);

  child process_;
  channel control_;
  uint64_t fork_key_;
  bool busy_poll_;
  uint64_t last_id_ = 0;
};

} // namespace caf_app::eval

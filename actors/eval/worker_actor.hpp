// One worker process of a build: sends it one call at a time, has its effects performed, kills it
// when a deadline passes or when it breaks the protocol. Owns the socket and the process.
//
//   starting --hello--> idle --worker_job--> busy --reply--> idle
//      `--- timeout, exit, broken frame ------ any -----------> gone (a call gets 502 or 504)
//
// Reports to its dispatcher and ends with it. A call that reached the process is never repeated.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "actors/eval/evaluator_base.hpp"
#include "caf_app/eval/effects.hpp"
#include "caf_app/eval/frame.hpp"
#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/loop/timer_wheel.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::eval {

/// A worker that a zygote has forked.
struct worker_options {
  uint64_t id = 0; ///< of the pool
  caf::actor dispatcher;
  int pid = 0;
  std::shared_ptr<owned_fd> pidfd;
  std::shared_ptr<owned_fd> socket;
  std::chrono::milliseconds handshake_timeout{0}; ///< until its hello; then it is killed
  std::string files_folder;                       ///< of the effect `files`, all organisations
};

/// The answer to an effect, from the job that performed it.
struct effect_done {
  uint64_t call = 0;
  std::string payload; ///< of the frame effect_reply
};

} // namespace caf_app::eval

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::effect_done)

namespace caf_app::eval {

/// Takes worker_job, one at a time, and worker_stop.
class worker_actor final : public loop_app_actor, private stream_owner {
public:
  worker_actor(caf::actor_config& cfg, event_loop* loop, worker_options options);

  const char* name() const override { return "eval.worker"; }
  void on_exit() override;

protected:
  caf::behavior make_behavior() override;

private:
  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override {}
  void on_failed(int error) override;
  void on_exception() override;

  void run(worker_job& job);
  void on_frame(frame& got);
  void on_reply(const frame& got);
  void on_effect(const frame& got);
  void on_due();
  void answer(eval_reply reply, bool ends);
  void give_up(uint16_t status, std::string_view why, std::string_view code);
  void kill() const;
  void close();

  worker_options options_;
  frame_reader reader_;
  stream_socket* socket_ = nullptr; // null: gone
  wheel_timer timer_;
  std::optional<worker_job> job_; // that runs
  bool greeted_ = false;
};

} // namespace caf_app::eval

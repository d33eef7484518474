// Takes the calls of a node and brings them to workers: finds the build, queues, starts zygotes and
// workers, gives up what waits too long. The decisions are worker_pool's. Named `eval.<node>`,
// member of the group `eval`; operations on builds go on to the builds actor.
//
//   eval_call -> build known? -> pool: waits -> run on a worker -> reply
//                  |                    `- deadline: 504, cancelled: nothing
//                  `- find_build -> 404, 409, or zygote when the first worker is needed
//
// JSON face (dispatcher_load_actor.cpp): "load" tells what the calls wait and take, "workers" sets
// how many workers there may be.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/eval/evaluator_base.hpp"
#include "actors/eval/eval_metrics.hpp"
#include "actors/eval/load_meter.hpp"
#include "actors/eval/worker_pool.hpp"
#include "caf_app/loop/timer_wheel.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::eval {

/// Answers eval_call once: with the reply of a worker, or 404 and 409 (build), 429 (share of the
/// tenant), 502 (worker died), 503 (queue full, draining), 504 (deadline).
class dispatcher_actor final : public loop_app_actor {
public:
  /// @param supervisor shows zygotes and workers in the tree, and stops them; may be null
  dispatcher_actor(caf::actor_config& cfg, event_loop* loop, evaluator_options_ptr options,
                   caf::actor supervisor);

  const char* name() const override { return "eval.dispatcher"; }
  void on_exit() override;

protected:
  caf::behavior make_behavior() override;

private:
  using reply_promise = caf::typed_response_promise<eval_reply>;
  using time_point = worker_pool::time_point;

  struct open_call {
    explicit open_call(std::function<void()> on_due) : timer(std::move(on_due)) {}

    std::shared_ptr<eval_call> what;
    caf::actor front; // of another node: it wants to know when a worker has the call
    reply_promise promise;
    time_point arrived;
    time_point handed_over; // to a worker
    time_point deadline;
    wheel_timer timer; // while it waits
  };

  struct open_build {
    bool known = false; // `info` is valid
    found_build info;
    caf::actor zygote;           // null: not started
    uint64_t zygote_number = 0;  // of the one that was started last
    std::vector<uint64_t> calls; // that wait until it is known
    time_point used;
  };

  struct open_worker {
    std::string build;
    caf::actor actor; // null: is being forked
    uint64_t call = 0;
    int pid = 0;
  };

  caf::result<eval_reply> on_call(eval_call& call);
  void on_found(const std::string& id, found_build& found);
  void on_forked(forked_worker& forked);
  void on_done(worker_done& done);
  void on_cancel(const eval_cancel& gone);
  void on_build_gone(const std::string& id);
  void on_tick();
  void drain();
  caf::result<json_reply> on_order(const json_request& order);
  std::string load_text() const;

  void admit(uint64_t id);
  void pump();
  void show_load();
  void run(uint64_t call, uint64_t worker);
  void start(uint64_t worker, const std::string& build);
  void end(uint64_t worker);
  void lose(uint64_t worker, std::string_view why);
  void reply(uint64_t call, eval_reply answer);
  void show(const std::string& id, const caf::actor& child) const;
  caf::actor builds() const;

  evaluator_options_ptr options_;
  caf::actor supervisor_;
  eval_metrics counters_;
  load_meter meter_;
  worker_pool pool_;
  std::unordered_map<uint64_t, open_call> calls_;
  std::unordered_map<uint64_t, uint64_t> by_client_id_; // for cancellation
  std::unordered_map<std::string, open_build> builds_;
  std::unordered_map<uint64_t, open_worker> workers_;
  wheel_timer ticker_;
  uint64_t last_call_ = 0;
  uint64_t last_zygote_ = 0;
};

} // namespace caf_app::eval

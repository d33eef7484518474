// The builds of a node: answers the API's operations on them, runs fetches and compiles as blocking
// jobs of their own, keeps the store.
//
//   post -> prepare (job) -> queued | fetching (job) -> building (job, a slot) -> ready | failed
//                                        `- delete ------------------------------> cancelled
//
// Posting an unfinished build again waits for the same build; a failed or cancelled one is built
// again. Nothing here blocks but small files of the store: this actor runs on the scheduler, never
// on a loop.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/eval/artefact.hpp"
#include "actors/eval/evaluator_base.hpp"
#include "actors/eval/process/build_store.hpp"
#include "actors/eval/process/cancel_flag.hpp"
#include "caf_app/registry/asking.hpp"

namespace caf_app::eval {

/// Time to look at a log again, for whoever waits.
struct log_poll_ticket {
  uint64_t ticket = 0;
};

} // namespace caf_app::eval

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::log_poll_ticket)

namespace caf_app::eval {

/// Answers eval_build_request, find_build and eval_artefact_request.
class builds_actor final : public app_actor {
public:
  /// @param store of this node; nobody else writes to it
  builds_actor(caf::actor_config& cfg, evaluator_options_ptr options, build_store store);

  const char* name() const override { return "eval.builds"; }
  void on_exit() override;

protected:
  caf::behavior make_behavior() override;

private:
  static constexpr uint64_t warming_job = 0;

  using reply_promise = caf::typed_response_promise<eval_reply>;

  struct waiter {
    uint64_t request = 0;
    reply_promise promise;
    uint64_t ticket = 0; // of its deadline
  };

  /// A build that is not finished.
  struct running_build {
    build_status status;
    std::shared_ptr<prepared_build> what;
    std::shared_ptr<cancel_flag> cancel = std::make_shared<cancel_flag>();
    std::vector<waiter> waiters;
    bool cancelled = false;
  };

  /// A driver that is copied from another node.
  struct driver_copy {
    std::vector<caf::typed_response_promise<found_build>> promises;
    std::vector<caf::actor> peers; // the last one is asked
    std::string record;
    std::optional<artefact_assembly> assembly;
  };

  bool keep_copy(const std::string& id, const driver_copy& copy);
  bool lacks_driver(const std::string& id) const;
  void make_again(const std::string& id);
  void on_made_again(const std::string& id, build_prepared& done);
  void answer_finders(const std::string& id);

  struct posting {
    eval_build_request request;
    reply_promise promise;
  };

  caf::result<eval_reply> on_request(eval_build_request& request);
  void on_prepared(build_prepared& done);
  void on_fetched(build_fetched& done);
  void on_finished(build_finished& done);
  void on_header(const header_ready& done);
  void on_job_lost(uint64_t job);
  caf::result<eval_reply> on_log(eval_build_request& request);
  void on_log_poll(uint64_t ticket);
  caf::result<found_build> find(const std::string& id);
  found_build find_here(const std::string& id);
  caf::result<found_build> find_elsewhere(const std::string& id);
  eval_artefact_chunk give(const eval_artefact_request& request);
  std::vector<caf::actor> peers() const;
  void ask_peer(const std::string& id);
  void next_peer(const std::string& id);
  void take_chunk(const std::string& id, eval_artefact_chunk& chunk);
  void end_copy(const std::string& id);
  void on_output(worker_output& said);

  void post(eval_build_request& request, reply_promise promise);
  void begin(std::shared_ptr<prepared_build> what, posting& from);
  void wait_for(running_build& build, posting& from);
  void fetch(const std::string& id);
  void compile_next();
  void compile(const std::string& id);
  void finish(const std::string& id);
  void answer(const waiter& who, const build_status& status);
  void set_state(running_build& build, build_state state);
  void make_room();

  eval_reply list(const std::string& organisation) const;
  eval_reply get(const std::string& id, const std::string& organisation) const;
  eval_reply log(const eval_build_request& request) const;
  eval_reply remove(const std::string& id, const std::string& organisation);
  std::optional<build_status> status_of(const std::string& id,
                                        const std::string& organisation) const;

  template <class Work>
  void run_job(uint64_t job, Work work);

  evaluator_options_ptr options_;
  build_store store_;
  toolchain tools_;
  std::map<std::string, build_status> known_; // finished ones
  std::map<std::string, running_build> running_;
  std::deque<std::string> queue_;                     // fetched, wait for a slot
  std::unordered_map<uint64_t, posting> postings_;    // being prepared
  std::unordered_map<uint64_t, posting> log_waiters_; // by ticket
  std::unordered_map<uint64_t, std::string> jobs_;    // builds that fetch or compile
  std::unordered_map<std::string, driver_copy> copies_;
  std::unordered_map<uint64_t, std::string> made_again_; // jobs that prepare lost drivers' builds
  std::unordered_map<std::string, std::vector<caf::typed_response_promise<found_build>>> finders_;
  std::unordered_map<std::string, size_t> pins_; // in use by dispatchers
  std::shared_ptr<cancel_flag> warming_;         // null once the header is there
  uint64_t last_job_ = 0;
  uint64_t last_ticket_ = 0;
  size_t compiling_ = 0;
};

/// Runs `work` on a thread of its own, which ends with it. What it returns is mailed to this actor.
template <class Work>
void builds_actor::run_job(uint64_t job, Work work) {
  const caf::actor parent{this};
  const auto worker =
      system().spawn<caf::detached>([parent, work = std::move(work)](caf::event_based_actor* self) {
        self->send(parent, work());
      });
  watch(worker, [this, job](const down&) { on_job_lost(job); });
}

/// Opens the store of a node and reads what the configuration names.
/// @returns errc::start_failed with what is wrong
caf::expected<build_store> open_store(const evaluator_options& options);

} // namespace caf_app::eval

// What the actors of the evaluator are given, and what they say to each other inside a node. None
// of these messages travels.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <caf/all.hpp>

#include "actors/eval/access.hpp"
#include "actors/eval/eval_config.hpp"
#include "actors/eval/process/builder.hpp"
#include "actors/eval/process/child.hpp"
#include "actors/eval/process/prepare.hpp"
#include "actors/eval/process/toolchain.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/messages/eval.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app::eval {

/// What the threads of a node see of its evaluator.
struct evaluator_state {
  std::atomic<bool> draining{false}; ///< calls get 503; is not taken back
  std::atomic<size_t> calls{0};      ///< that have been taken and not answered
  std::atomic<size_t> workers{0};
  std::atomic<size_t> busy{0};      ///< workers that run a call
  std::atomic<size_t> waiting{0};   ///< calls that wait for a worker
  std::atomic<size_t> compiling{0}; ///< builds that compile
  std::string confinement;          ///< layers that are in force, as JSON; set before actors exist
};

/// What every actor of the evaluator is given; does not change.
struct evaluator_options {
  std::string node;               ///< its name
  std::filesystem::path data_dir; ///< of the node; the evaluator uses the folder `eval` in it
  eval_config config;
  event_loop* loop = nullptr; ///< of dispatcher, front and workers
  std::shared_ptr<registry> names;
  metrics_ptr books;
  logger_ptr log;
  std::shared_ptr<evaluator_state> state = std::make_shared<evaluator_state>();
  access_list access;
  std::string state_key; ///< of HMAC-SHA256; empty: states are not signed
  std::string entropy;   ///< at least 32 random bytes: a new salt, and where ids begin
};

using evaluator_options_ptr = std::shared_ptr<const evaluator_options>;

// -- about builds
// ----------------------------------------------------------------------------------

/// A dispatcher asks for a build to run. Answered with found_build; the build stays on disk until
/// release_build.
struct find_build {
  std::string id;
};

/// The answer: what it takes to run calls, or a refusal for them.
struct found_build {
  eval_reply refusal;       ///< with status 200: there is none
  std::string organisation; ///< that sees the build
  std::string driver;       ///< path
  std::shared_ptr<const toolchain> tools;
  std::vector<std::string> functions; ///< dotted names
  std::vector<std::string> graphs;    ///< dotted names
};

/// The dispatcher runs a build no more: it may be evicted.
struct release_build {
  std::string id;
};

/// A build was deleted: its workers may finish what they do.
struct build_gone {
  std::string id;
};

/// What a worker or zygote of a build has printed.
struct worker_output {
  std::string build; ///< its id
  std::string text;
};

/// Results of blocking jobs.
struct build_prepared {
  uint64_t job = 0;
  std::shared_ptr<prepared_build> result;
};

/// The files of a commit, or why they are not here.
struct build_fetched {
  uint64_t job = 0;
  std::string fault; ///< empty: none
  std::vector<source_file> files;
};

struct build_finished {
  uint64_t job = 0;
  std::shared_ptr<build_result> result;
};

/// The precompiled header is made.
struct header_ready {
  std::string fault; ///< empty: none
};

// -- about processes
// -------------------------------------------------------------------------------

/// A dispatcher asks a zygote for a worker. Answered by forked_worker to the dispatcher.
struct fork_worker {
  uint64_t worker = 0;
};

/// A new worker, which says hello on its socket once it is up.
struct forked_worker {
  uint64_t worker = 0; ///< of the request
  std::string fault;   ///< empty: none
  int pid = 0;
  std::shared_ptr<owned_fd> pidfd;
  std::shared_ptr<owned_fd> socket;
};

/// A dispatcher hands a call to a worker, which answers with worker_done.
struct worker_job {
  uint64_t call = 0;               ///< numbered by the dispatcher
  std::shared_ptr<eval_call> what; ///< its body is gone once it is sent
  caf::actor_clock::time_point deadline;
};

struct worker_done {
  uint64_t worker = 0;
  uint64_t call = 0;
  eval_reply reply;
  bool ends = false; ///< the worker takes no more
};

/// A worker has said hello: it may be given a call.
struct worker_ready {
  uint64_t worker = 0;
};

/// A worker's process is gone, or will be at once.
struct worker_gone {
  uint64_t worker = 0;
  std::string why;
};

/// An idle worker ends.
struct worker_stop {};

/// The node stops: what waits is refused, what runs finishes.
struct dispatcher_drain {};

} // namespace caf_app::eval

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::find_build)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::found_build)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::release_build)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::build_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_output)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::build_prepared)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::build_fetched)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::build_finished)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::header_ready)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::fork_worker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::forked_worker)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_job)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_done)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_ready)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_gone)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::worker_stop)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::eval::dispatcher_drain)

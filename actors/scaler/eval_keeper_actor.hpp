// Looks after the workers of the evaluator of this node for a scaler, which may run elsewhere:
// measures once per period, reports when it is asked, and carries out what it is told. It obeys
// only the actor that holds the name of the target, so that of two that believe to be in charge
// one is not heard; whoever wants to may look.
//
//   scaler --look--> keeper --load--> dispatcher
//   scaler --workers 3--> keeper --workers 3--> dispatcher
//   scaler --show {state, lines}--> keeper: for caf-ctl decisions of this node
#pragma once

#include <functional>
#include <memory>

#include "actors/scaler/eval_meter.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::scaler {

struct eval_keeper_options {
  std::function<caf::actor()> dispatcher; ///< null: not now
  std::function<caf::actor()> master;     ///< who holds the name of the target now; may be null
  std::shared_ptr<scaler_board> board;    ///< the period; shows what the scaler says
  std::function<host_sample(steady::time_point)> host;        ///< host_probe::sample, or a double
  std::function<std::optional<process_times>(int pid)> times; ///< read_process_times, or a double
  std::function<steady::time_point()> now = steady_now;
};

/// Takes json_request: "look" from anybody, answered with an eval_report; "workers" and "show" from
/// the master, errc::denied from others; errc::noproc while the dispatcher starts.
caf::behavior eval_keeper_actor(named_actor<"scaler.eval_keeper">* self,
                                const eval_keeper_options& options);

/// What the kernel says of a process of this host: /proc/PID/schedstat. Nothing if it has ended, or
/// the kernel keeps no such statistics.
std::optional<process_times> read_process_times(int pid);

} // namespace caf_app::scaler

// The evaluator of a node as a part of its supervision tree:
//
//   eval -> builds, dispatcher (eval.<node>, group eval), front (eval), and adopted: zygotes,
//           workers, outputs
//
// A node without the role has a front only, which talks to the evaluators of other nodes.
#pragma once

#include <caf/expected.hpp>

#include "actors/eval/evaluator_base.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app::eval {

/// What a node has of it: all with the role `eval`, else only the way to the others.
enum class evaluator_extent : uint8_t { front_only, whole };

/// The evaluator of a node: how it is started and how it stops.
class evaluator {
public:
  /// Reads the files that the configuration names, opens the store, finds out how well drivers can
  /// be confined. Blocking.
  /// @returns errc::start_failed with what is wrong
  static caf::expected<std::shared_ptr<evaluator>> make(evaluator_options options,
                                                        evaluator_extent extent);

  /// Reads those files only. Blocking.
  /// @returns what make() would refuse in them
  static caf::error check(const eval_config& config);

  /// The supervisor of the evaluator.
  child_spec spec() const;

  /// Refuses what waits and what comes; what runs goes on. Any thread.
  void drain() const;

  /// @returns whether nothing runs any more. Any thread.
  bool drained() const { return options_->state->calls == 0; }

private:
  evaluator(evaluator_options_ptr options, evaluator_extent extent)
      : options_(std::move(options)), extent_(extent) {}

  evaluator_options_ptr options_;
  evaluator_extent extent_;
};

} // namespace caf_app::eval

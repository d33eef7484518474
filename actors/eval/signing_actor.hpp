// Between a front and its dispatcher if states are signed: checks the state of a graph call, signs
// that of the reply. On the scheduler, because a state may have megabytes.
#pragma once

#include "actors/eval/evaluator_base.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::eval {

/// Takes eval_call as a dispatcher does. A state without a good signature is answered with 400
/// bad_state; only replies with status 200 are signed.
caf::behavior signing_actor(named_actor<"eval.signing">* self, evaluator_options_ptr options);

} // namespace caf_app::eval

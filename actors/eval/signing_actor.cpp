#include "actors/eval/signing_actor.hpp"

#include "actors/eval/api_reply.hpp"
#include "actors/eval/state_signature.hpp"

namespace caf_app::eval {

namespace {

constexpr std::chrono::seconds answer_grace{1}; // a dispatcher keeps the deadline

} // namespace

caf::behavior signing_actor(named_actor<"eval.signing">* self, evaluator_options_ptr options) {
  return {[self, options](eval_call& call) -> caf::result<eval_reply> {
    if (auto why = check_state(call.body, options->state_key))
      return refusal(400, *why, "bad_state");
    const auto front = options->names->where_is("eval"); // it places the call, knowing who asks
    if (!front)
      return refusal(503, "no evaluator is reachable", "unavailable");
    const auto time = std::chrono::milliseconds{call.deadline_ms} + answer_grace;
    auto promise = self->make_response_promise<caf::typed_response_promise<eval_reply>>();
    self->ask(front, time, std::move(call))
        .then(
            [promise, options](eval_reply& reply) mutable {
              if (reply.status == 200)
                sign_state(reply.body, options->state_key);
              promise.deliver(std::move(reply));
            },
            [promise](caf::error& why) mutable { promise.deliver(std::move(why)); });
    return promise;
  }};
}

} // namespace caf_app::eval

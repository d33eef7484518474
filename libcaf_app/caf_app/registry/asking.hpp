// ask: a request that always ends. CAF's own request() leaves a timer in the actor clock until it
// fires, cannot tell a target that was dead from one that died, and drops late replies unseen; so
// an asking actor allocates the request number, sends the message and keeps the books itself.
// It has one armed timer for its earliest deadline, however many asks wait.
//
//   ask() -> sent -> waiting (ask_table) -> on_reply      a reply of the expected type
//                                        -> on_error      exactly one error, see asking::ask
//                    reply after that: counted as late, dropped
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/ask_handler.hpp"
#include "caf_app/registry/ask_table.hpp"
#include "caf_app/registry/dated_element.hpp"
#include "caf_app/registry/deadline_receiver.hpp"
#include "caf_app/registry/harden.hpp"
#include "caf_app/registry/liveness.hpp"
#include "caf_app/registry/watch.hpp"

namespace caf_app {

namespace detail {

/// How long an ask may take: zero or more, at most limits::registry::ask_timeout_max.
std::chrono::nanoseconds clamp_ask_timeout(std::chrono::duration<double> wanted);

/// @returns what the asker sees of an error that CAF made
caf::error translated(caf::error reason);

/// @returns the error that a reply carries, translated for its asker; no error if it is a result
caf::error failure_of(caf::mailbox_element& reply);

/// Type of the one timeout_msg of asking actors.
inline constexpr auto ask_timer = caf::atom("ask");

/// Hands a request to its target; to one on another node together with the deadline.
inline void deliver_ask(caf::abstract_actor& target, caf::mailbox_element_ptr request,
                        caf::execution_unit* unit, const caf::node_id& own_node,
                        std::chrono::steady_clock::time_point deadline) {
  if (target.node() != own_node) // the usual case compares two pointers
    if (auto* remote = dynamic_cast<deadline_receiver*>(&target))
      return remote->enqueue_until(std::move(request), unit, deadline);
  target.enqueue(std::move(request), unit);
}

void count_late_reply(const caf::actor_system& system);
void count_ask_timeout(const caf::actor_system& system);
void count_expired_request(const caf::actor_system& system);

/// Whether `Handle` accepts `Ts`; dynamically typed ones accept all.
template <class Handle, class... Ts>
constexpr bool accepts() {
  if constexpr (requires { typename Handle::signatures; })
    return caf::response_type_unbox<
        typename Handle::signatures,
        caf::detail::type_list<caf::detail::implicit_conversions_t<std::decay_t<Ts>>...>>::valid;
  else
    return true;
}

} // namespace detail

/// An actor with ask and watch, hardened from the start.
/// It ends like any CAF actor: on quit, on an exit message, or when neither a behavior nor an ask
/// is left. Function-based actors take `asking<...>* self`; app_actor below is the usual choice.
/// @tparam Base an event-based actor, dynamically or statically typed, on a loop or scheduled
template <class Base>
class asking : public watching<Base> {
public:
  using super = watching<Base>;
  using time_point = caf::actor_clock::time_point;

  /// @param xs go to `Base`
  template <class... Ts>
  explicit asking(caf::actor_config& cfg, Ts&&... xs) : super(cfg, std::forward<Ts>(xs)...) {
    harden(this);
  }

  /// A sent ask; say at once what to do with its outcome.
  class [[nodiscard]] sent_ask {
  public:
    /// Exactly one of both runs, later, in this actor; none if the actor ends before.
    /// @param on_reply takes the elements of the reply, or one caf::message for any reply
    /// @param on_error takes caf::error&
    template <class OnReply, class OnError>
    void then(OnReply on_reply, OnError on_error) && {
      self_->add_ask(number_, deadline_, {std::move(on_reply), std::move(on_error)});
    }

  private:
    friend class asking;

    sent_ask(asking* self, uint64_t number, time_point deadline)
        : self_(self), number_(number), deadline_(deadline) {}

    asking* self_;
    uint64_t number_;
    time_point deadline_;
  };

  /// Sends a request. The outcome is the reply, or one of
  /// - noproc: the target had ended (or is a null handle) before it could take the message
  /// - target_failed: it ended after that, without an answer
  /// - link_lost: the connection to its node broke
  /// - timed_out: no reply came within `timeout`; one that comes later is counted and dropped
  /// - unexpected_reply: the reply has a type that the handler does not take
  /// - whatever error the target answered with
  /// @param target any handle
  /// @param timeout zero or less fails, at most limits::registry::ask_timeout_max
  template <class Handle, class Rep, class Period, class... Ts>
  sent_ask ask(const Handle& target, std::chrono::duration<Rep, Period> timeout, Ts&&... xs) {
    static_assert(sizeof...(Ts) > 0, "no message to send");
    static_assert(detail::accepts<Handle, Ts...>(), "the target does not accept this message");
    const auto id = this->new_request_id(caf::message_priority::normal);
    const auto deadline = ask_now() + detail::clamp_ask_timeout(timeout);
    auto* receiver = actor_behind(target);
    if (receiver && !has_ended(*receiver)) [[likely]]
      detail::deliver_ask(*receiver,
                          caf::make_mailbox_element(caf::strong_actor_ptr{this->ctrl()}, id, {},
                                                    std::forward<Ts>(xs)...),
                          this->context(), this->node(), deadline);
    else
      this->eq_impl(id.response_id(), nullptr, this->context(), why_unusable(receiver));
    return {this, id.request_id().integer_value(), deadline};
  }

  /// @returns asks that wait for their outcome
  size_t pending_asks() const noexcept { return asks_.size(); }

  using super::consume;

  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    if (x.mid.is_response())
      return on_response(x);
    if (const auto* dated = dated_element::of(x); dated && dated->deadline() <= ask_now()) {
      detail::count_expired_request(this->system());
      x.mid.mark_as_answered(); // its asker has given up: no answer, not even an error
      return caf::invoke_message_result::consumed;
    }
    if (x.content().type_token() == caf::make_type_token<caf::timeout_msg>() &&
        x.content().template get_as<caf::timeout_msg>(0).type == detail::ask_timer) {
      this->current_element_ = &x;
      if (x.content().template get_as<caf::timeout_msg>(0).timeout_id == timer_generation_)
        on_ask_timer();
      return caf::invoke_message_result::consumed;
    }
    return super::consume(x);
  }

  bool cleanup(caf::error&& reason, caf::execution_unit* host) override {
    asks_.clear();
    return super::cleanup(std::move(reason), host);
  }

protected:
  /// The clock of the deadlines.
  virtual time_point ask_now() const { return this->clock().now(); }

  /// Makes `timeout_msg{detail::ask_timer, generation}` arrive at this actor at `due`. Replaces
  /// what was armed before; an outdated generation is ignored, so that replacing may fail. An
  /// override that uses a timer of its own must not hold it beyond cleanup().
  virtual void arm_ask_timer(time_point due, uint64_t generation) {
    this->clock().set_ordinary_timeout(due, this, detail::ask_timer, generation);
  }

private:
  void add_ask(uint64_t number, time_point deadline, ask_handler handler) {
    if (this->getf(caf::abstract_actor::is_shutting_down_flag |
                   caf::abstract_actor::is_terminated_flag))
      return;
    asks_.insert(number, deadline, std::move(handler));
    if (deadline < armed_for_)
      arm(deadline);
    if (!this->has_behavior() && !held_alive_) {
      // CAF ends an actor without a behavior; this response, which nobody sends, holds it.
      held_alive_ = true;
      this->multiplexed_responses_.emplace(never_sent(), caf::behavior{});
    }
  }

  caf::invoke_message_result on_response(caf::mailbox_element& x) {
    auto handler = asks_.take(x.mid.request_id().integer_value());
    if (!handler) {
      if (!this->awaited_responses_.empty() || this->multiplexed_responses_.count(x.mid) != 0)
        return super::consume(x); // of CAF's own request()
      detail::count_late_reply(this->system());
      return caf::invoke_message_result::dropped;
    }
    this->current_element_ = &x;
    if (auto reason = detail::failure_of(x))
      handler->fail(reason);
    else
      handler->reply(x);
    release_if_idle();
    return caf::invoke_message_result::consumed;
  }

  void on_ask_timer() {
    armed_for_ = time_point::max();
    const auto now = ask_now();
    while (auto handler = asks_.take_expired(now)) {
      detail::count_ask_timeout(this->system());
      auto reason = caf::make_error(errc::timed_out);
      handler->fail(reason);
      if (this->getf(caf::abstract_actor::is_shutting_down_flag))
        return;
    }
    if (const auto next = asks_.earliest(); next && *next < armed_for_)
      arm(*next);
    release_if_idle();
  }

  void arm(time_point due) {
    armed_for_ = due;
    arm_ask_timer(due, ++timer_generation_);
  }

  void release_if_idle() {
    if (held_alive_ && asks_.empty()) {
      held_alive_ = false;
      this->multiplexed_responses_.erase(never_sent());
    }
  }

  static constexpr caf::message_id never_sent() {
    return caf::message_id{caf::message_id::request_id_mask | caf::message_id::response_flag_mask};
  }

  ask_table<ask_handler> asks_;
  time_point armed_for_ = time_point::max(); // max: no timer is armed
  uint64_t timer_generation_ = 0;
  bool held_alive_ = false;
};

/// What most actors of an application are: `caf::behavior greeter(caf_app::app_actor* self)`, or
/// with a state, `caf::stateful_actor<state, caf_app::app_actor>*`.
using app_actor = asking<caf::event_based_actor>;

} // namespace caf_app

// ask: a request that always ends. CAF's own request() leaves a timer in the actor clock until it
// fires, cannot tell a target that was dead from one that died, and drops late replies unseen; so
// an asking actor keeps the books itself, with one timer however many asks wait.
//
//   ask() -> sent -> waiting (ask_table) -> on_reply      a reply of the expected type
//                                        -> on_error      exactly one error, see asking::ask
//                    reply after that: counted as late, dropped
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/ask_detail.hpp"
#include "caf_app/registry/ask_handler.hpp"
#include "caf_app/registry/ask_limits.hpp"
#include "caf_app/registry/ask_table.hpp"
#include "caf_app/registry/dated_element.hpp"
#include "caf_app/registry/harden.hpp"
#include "caf_app/registry/keyed_answers.hpp"
#include "caf_app/registry/liveness.hpp"
#include "caf_app/registry/watch.hpp"

namespace caf_app {

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
      self_->add_ask(number_, deadline_, {std::move(on_reply), std::move(on_error)},
                     waiting_kind::ask, std::move(target_));
    }

  private:
    friend class asking;

    sent_ask(asking* self, uint64_t number, time_point deadline, caf::actor_addr target)
        : self_(self), number_(number), deadline_(deadline), target_(std::move(target)) {}

    asking* self_;
    uint64_t number_;
    time_point deadline_;
    caf::actor_addr target_;
  };

  /// Sends a request. The outcome is the reply, or one of
  /// - noproc: the target had ended (or is a null handle) before it could take the message
  /// - target_failed: it ended after that, without an answer: noticed within
  ///   limits::registry::target_check, and at once when the ask waits for longer than that
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
    return {this, id.request_id().integer_value(), deadline,
            receiver ? receiver->address() : caf::actor_addr{}};
  }

  /// Calls `f` in this actor after `delay`, unless it ends before. Counts as an ask that waits.
  template <class Rep, class Period, class F>
  void call_after(std::chrono::duration<Rep, Period> delay, F f) {
    const auto number =
        this->new_request_id(caf::message_priority::normal).request_id().integer_value();
    add_ask(number, ask_now() + detail::clamp_ask_timeout(delay),
            {[](caf::message) {}, [f](caf::error&) mutable { f(); }}, waiting_kind::timer, {});
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
    if (keyed_answers::is_keyed(x)) {
      on_keyed_request(x);
      return caf::invoke_message_result::consumed;
    }
    return super::consume(x);
  }

  bool cleanup(caf::error&& reason, caf::execution_unit* host) override {
    asks_.clear();
    targets_.clear();
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
  enum class waiting_kind : uint8_t { ask, timer };

  struct waiting_ask {
    ask_handler handler;
    caf::actor_addr target; // null: nobody who could end
    waiting_kind kind = waiting_kind::ask;
  };

  void add_ask(uint64_t number, time_point deadline, ask_handler handler, waiting_kind kind,
               caf::actor_addr target) {
    if (this->getf(caf::abstract_actor::is_shutting_down_flag |
                   caf::abstract_actor::is_terminated_flag))
      return;
    asks_.insert(number, deadline, waiting_ask{std::move(handler), std::move(target), kind});
    if (next_check_ == time_point::max())
      next_check_ = ask_now() + limits::registry::target_check;
    if (const auto due = std::min(deadline, next_check_); due < armed_for_)
      arm(due);
    if (!this->has_behavior() && !held_alive_) {
      // CAF ends an actor without a behavior; this response, which nobody sends, holds it.
      held_alive_ = true;
      this->multiplexed_responses_.emplace(never_sent(), caf::behavior{});
    }
  }

  caf::invoke_message_result on_response(caf::mailbox_element& x) {
    auto waiting = asks_.take(x.mid.request_id().integer_value());
    if (!waiting) {
      if (!this->awaited_responses_.empty() || this->multiplexed_responses_.count(x.mid) != 0)
        return super::consume(x); // of CAF's own request()
      detail::count_late_reply(this->system());
      return caf::invoke_message_result::dropped;
    }
    this->current_element_ = &x;
    if (auto reason = detail::failure_of(x))
      waiting->handler.fail(reason);
    else
      waiting->handler.reply(x);
    release_if_idle();
    return caf::invoke_message_result::consumed;
  }

  void on_ask_timer() {
    armed_for_ = time_point::max();
    const auto now = ask_now();
    while (auto waiting = asks_.take_expired(now)) {
      if (waiting->kind == waiting_kind::ask)
        detail::count_ask_timeout(this->system());
      auto reason = caf::make_error(errc::timed_out);
      waiting->handler.fail(reason);
      if (this->getf(caf::abstract_actor::is_shutting_down_flag))
        return;
    }
    if (next_check_ <= now)
      check_targets(now);
    if (const auto next = asks_.earliest(); next && std::min(*next, next_check_) < armed_for_)
      arm(std::min(*next, next_check_));
    release_if_idle();
  }

  // A monitor per ask would cost more than most asks: targets are watched once an ask is open for
  // longer, and only as long as there is one.
  void check_targets(time_point now) {
    next_check_ = asks_.empty() ? time_point::max() : now + limits::registry::target_check;
    std::map<caf::actor_addr, uint64_t> open;
    asks_.for_each([&](const waiting_ask& x) {
      if (x.target && x.target.node() == this->node()) // others: the link tells
        open.emplace(x.target, 0);
    });
    for (auto& [target, ref] : targets_)
      if (const auto found = open.find(target); found != open.end())
        found->second = ref;
      else
        this->unwatch(ref);
    for (auto& [target, ref] : open)
      if (ref == 0)
        ref = this->watch(target, [this, target = target](const down&) { on_target_end(target); });
    targets_ = std::move(open);
  }

  void on_target_end(const caf::actor_addr& target) {
    targets_.erase(target);
    const auto numbers = asks_.numbers_of([&](const waiting_ask& x) { return x.target == target; });
    for (const auto number : numbers)
      if (auto waiting = asks_.take(number)) {
        auto reason = detail::translated(caf::make_error(caf::sec::request_receiver_down));
        waiting->handler.fail(reason);
        if (this->getf(caf::abstract_actor::is_shutting_down_flag))
          return;
      }
    release_if_idle();
  }

  // The work is done by a request to ourselves, so that its answer comes back here and can be kept.
  void on_keyed_request(caf::mailbox_element& x) {
    this->current_element_ = &x;
    if (!answers_)
      answers_ = std::make_unique<keyed_answers>();
    auto work = answers_->begin(x, ask_now(), this->ctrl(), this->context());
    if (!work)
      return;
    const auto id = this->new_request_id(caf::message_priority::normal);
    add_ask(id.request_id().integer_value(), work->until,
            {[this, key = work->key](caf::message reply) {
               answers_->finish(key, reply, this->ctrl(), this->context());
             },
             [this, key = work->key](caf::error& why) {
               answers_->fail(key, why, this->ctrl(), this->context());
             }},
            waiting_kind::timer, {});
    this->eq_impl(id, this->ctrl(), this->context(), std::move(work->content));
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
    using id = caf::message_id;
    return id{id::request_id_mask | id::response_flag_mask};
  }

  ask_table<waiting_ask> asks_;
  std::map<caf::actor_addr, uint64_t> targets_; // of open asks, with their watches
  std::unique_ptr<keyed_answers> answers_;      // null until a keyed request comes
  time_point next_check_ = time_point::max();   // of the targets
  time_point armed_for_ = time_point::max();    // max: no timer is armed
  uint64_t timer_generation_ = 0;
  bool held_alive_ = false;
};

/// What most actors of an application are: `caf::behavior greeter(caf_app::app_actor* self)`, or
/// with a state, `caf::stateful_actor<state, caf_app::app_actor>*`.
using app_actor = asking<caf::event_based_actor>;

} // namespace caf_app

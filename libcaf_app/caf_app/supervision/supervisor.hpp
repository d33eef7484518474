// The supervisor actor: starts children, watches them, restarts them as restart_plan says, and
// takes them with it when it ends. The decisions are restart_plan's, the execution
// supervisor_core's; this file ties them to a mailbox.
//
// It stops on an exit message with any reason but normal: children in reverse order, each with its
// timeout, then it quits with that reason. It quits with too_many_restarts when it gives up, which
// its own supervisor sees as an abnormal end. If it is killed, its children are killed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <caf/all.hpp>

#include "caf_app/messages/supervision.hpp"
#include "caf_app/registry/asking.hpp"
#include "caf_app/supervision/supervisor_core.hpp"

namespace caf_app {

/// Adds a child at run time; inside one process only. Answered with nothing once it is accepted, or
/// with invalid_argument, conflict (the id is in use) or draining. See also adopt_child,
/// remove_child.
struct add_child {
  std::shared_ptr<const child_spec> spec;
};

} // namespace caf_app

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(caf_app::add_child)

namespace caf_app {

/// @tparam Base a dynamically typed event-based actor; loop_actor<> puts the supervisor on a loop
template <class Base = caf::event_based_actor>
class basic_supervisor : public asking<Base>, private supervisor_host {
public:
  using super = asking<Base>;

  template <class B = Base,
            class = std::enable_if_t<std::is_constructible_v<B, caf::actor_config&>>>
  basic_supervisor(caf::actor_config& cfg, supervisor_options options)
      : super(cfg), core_(*this, std::move(options)) {
    stop_on_exit();
  }

  /// @param loop goes to `Base`
  template <class Loop>
  basic_supervisor(caf::actor_config& cfg, Loop* loop, supervisor_options options)
      : super(cfg, loop), core_(*this, std::move(options)) {
    stop_on_exit();
  }

  const char* name() const override { return "supervisor"; }

  /// For an actor of the same loop, or a derived class, that cannot afford a message.
  void adopt(std::string id, caf::actor child) { core_.adopt(std::move(id), std::move(child)); }

  using super::consume;

  caf::invoke_message_result consume(caf::mailbox_element& x) override {
    if (x.mid.is_async() && x.content().type_token() == caf::make_type_token<caf::timeout_msg>() &&
        x.content().template get_as<caf::timeout_msg>(0).type == timer) {
      this->current_element_ = &x;
      if (x.content().template get_as<caf::timeout_msg>(0).timeout_id == generation_)
        core_.on_timer();
      return caf::invoke_message_result::consumed;
    }
    return super::consume(x);
  }

  void on_exit() override {
    core_.abandon();
    super::on_exit();
  }

protected:
  caf::behavior make_behavior() override {
    core_.start();
    return {
        [this](const add_child& x) -> caf::result<void> {
          auto added = core_.add(*x.spec);
          if (!added)
            return std::move(added.error());
          return caf::unit;
        },
        [this](adopt_child& x) { core_.adopt(std::move(x.id), std::move(x.child)); },
        [this](const remove_child& x) {
          auto promise = this->make_response_promise();
          core_.remove(x.id, [promise](caf::error err) mutable {
            if (err)
              promise.deliver(std::move(err));
            else
              promise.deliver(caf::unit);
          });
        },
    };
  }

private:
  static constexpr auto timer = caf::atom("supervise");

  void stop_on_exit() {
    this->set_exit_handler([this](caf::exit_msg& x) {
      if (x.reason)
        core_.shut_down(std::move(x.reason));
    });
  }

  caf::local_actor& host_actor() override { return *this; }

  time_point host_now() override { return this->clock().now(); }

  void set_timer(time_point due) override {
    this->clock().set_ordinary_timeout(due, this, timer, ++generation_);
  }

  uint64_t watch_child(const caf::actor& child, std::function<void(const down&)> f) override {
    return this->watch(child, std::move(f));
  }

  void unwatch_child(uint64_t ref) override { this->unwatch(ref); }

  void end_host(caf::error reason) override { this->quit(std::move(reason)); }

  supervisor_core core_;
  uint64_t generation_ = 0; // of the timer: an outdated one is ignored
};

using supervisor = basic_supervisor<>;

/// Spawns a supervisor on the scheduler.
caf::actor spawn_supervisor(caf::actor_system& system, supervisor_options options);

/// The spec of a child that is a supervisor: takes path and tree from the one above,
/// the log too unless it has its own.
/// @param options `path` and `tree` are ignored
/// @param shutdown_timeout more than those of all its children together
child_spec supervisor_child(std::string id, supervisor_options options,
                            std::chrono::milliseconds shutdown_timeout,
                            restart_type restart = restart_type::permanent);

} // namespace caf_app

// A deterministic actor system with the message types and the hooks of the product: CAF's test
// coordinator, whose clock stands still until a test moves it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"

#include <caf/test/dsl.hpp> // last: its macros are global

struct actor_test_config : caf::actor_system_config, caf_app::hook_carrier {
  actor_test_config() { caf_app::add_messages(*this); }
};

struct actor_fixture : test_coordinator_fixture<actor_test_config> {
  using milliseconds = std::chrono::milliseconds;

  /// Moves the clock in steps of 1 ms and lets all actors run after each.
  void pass(milliseconds time) {
    consume_messages();
    for (; time.count() > 0; time -= milliseconds{1}) {
      advance_time(milliseconds{1});
      consume_messages();
    }
  }

  /// Sends an exit message and lets all actors run.
  template <class Handle>
  void end(const Handle& actor, caf::error reason) {
    auto* target = caf::actor_cast<caf::abstract_actor*>(actor);
    target->eq_impl(caf::make_message_id(), nullptr, nullptr,
                    caf::exit_msg{caf::actor_addr{}, std::move(reason)});
    consume_messages();
  }

  template <class Handle>
  static bool is_alive(const Handle& actor) {
    return !caf::actor_cast<caf::abstract_actor*>(actor)->getf(
        caf::abstract_actor::is_terminated_flag);
  }

  caf_app::actor_hooks& hooks() { return *cfg.hooks(); }
};

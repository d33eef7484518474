// Supervisors with scripted children on the test coordinator.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/base/error.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "support/actor_fixture.hpp"

/// A child that ends when it is told to, and at once on an exit message.
inline caf::behavior obedient_child(caf_app::app_actor* self) {
  return {
      [self](const std::string& reason) {
        self->quit(reason == "normal" ? caf::error{}
                                      : caf::make_error(caf_app::errc::handler_failed, reason));
      },
      [](int x) { return x; },
  };
}

/// A child that ignores every exit message but kill.
inline caf::behavior stubborn_child(caf_app::app_actor* self) {
  self->set_exit_handler([](caf::exit_msg&) {});
  return {[](int x) { return x; }};
}

struct supervisor_fixture : actor_fixture {
  using milliseconds = std::chrono::milliseconds;

  std::shared_ptr<caf_app::supervision_tree> tree = std::make_shared<caf_app::supervision_tree>();

  /// What the supervisors reported: "root/a started", in order.
  std::shared_ptr<std::vector<std::string>> log = std::make_shared<std::vector<std::string>>();

  /// Living and former actors of the children by path, in the order of their starts.
  std::shared_ptr<std::map<std::string, std::vector<caf::actor>>> born =
      std::make_shared<std::map<std::string, std::vector<caf::actor>>>();

  /// Ends in the order in which they happened: "root/a".
  std::shared_ptr<std::vector<std::string>> ends = std::make_shared<std::vector<std::string>>();

  caf::actor root;

  ~supervisor_fixture() override {
    if (root)
      end(root, caf::exit_reason::kill);
    consume_messages();
  }

  caf_app::supervisor_options
  options(caf_app::restart_strategy strategy = caf_app::restart_strategy::one_for_one) {
    caf_app::supervisor_options result;
    result.path = "root";
    result.tree = tree;
    result.restart.strategy = strategy;
    result.restart.intensity = 100;
    result.restart.backoff.first = milliseconds{0};
    result.log = [out = log](const caf_app::supervision_event& x) {
      out->push_back(x.path + ' ' + to_string(x.kind));
    };
    return result;
  }

  using body = caf::behavior (*)(caf_app::app_actor*);

  caf_app::child_spec child(std::string id,
                            caf_app::restart_type restart = caf_app::restart_type::permanent,
                            body what = obedient_child) {
    caf_app::child_spec result;
    result.id = std::move(id);
    result.restart = restart;
    result.shutdown_timeout = milliseconds{100};
    result.start = [what, all = born, out = ends](const caf_app::start_context& context) {
      auto actor = context.system.spawn(what);
      actor->attach_functor([out, path = context.path] { out->push_back(path); });
      (*all)[context.path].push_back(actor);
      return caf::expected<caf::actor>{actor};
    };
    return result;
  }

  void start(caf_app::supervisor_options with) {
    root = caf_app::spawn_supervisor(sys, std::move(with));
    consume_messages();
  }

  /// The living actor of a child.
  caf::actor actor(const std::string& path) { return born->at(path).back(); }

  size_t starts(const std::string& path) { return born->count(path) ? born->at(path).size() : 0; }

  /// Tells a child to end by itself.
  void tell(const std::string& path, const std::string& reason) {
    caf::anon_send(actor(path), reason);
    consume_messages();
  }

  std::vector<std::string> take_log() { return std::exchange(*log, {}); }
  std::vector<std::string> take_ends() { return std::exchange(*ends, {}); }

  caf_app::tree_entry entry(const std::string& path) {
    auto found = tree->find(path);
    CAF_REQUIRE(found);
    return std::move(*found);
  }

  caf_app::tree_state state(const std::string& path) { return entry(path).state; }

  /// Sends a request to the root and returns the error it answers with, none if it succeeds.
  template <class Message>
  caf::error request_of_root(Message message) {
    caf::error result;
    auto handle = self->request(root, std::chrono::seconds{1}, std::move(message));
    pass(milliseconds{500});
    handle.receive([] {}, [&](caf::error& err) { result = std::move(err); });
    return result;
  }
};

// An instance's ear: reads the orders of its parent from stdin and carries them out. The end of
// stdin is the end of the parent, and with it of the instance.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/http/http_supervisor.hpp"
#include "caf_app/app.hpp"
#include "caf_app/loop/watched_fd.hpp"
#include "caf_app/process/line_splitter.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app {

/// What an instance needs of its node object to obey its parent.
struct instance_life {
  std::function<caf::error()> reload;   ///< blocks
  std::function<std::string()> metrics; ///< the text of /metrics
};

/// The orders are those of process_fleet.hpp. It stops the whole app when stdin ends or once it has
/// left its ports.
class instance_actor final : public loop_app_actor {
public:
  instance_actor(caf::actor_config& cfg, event_loop* loop, app* host,
                 std::shared_ptr<http::http_service> web, instance_life life);

  const char* name() const override { return "instance"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  void on_input();
  void obey(std::string_view order);
  void retire();

  app* host_;
  std::shared_ptr<http::http_service> web_;
  instance_life life_;
  watched_fd* input_ = nullptr;
  line_splitter lines_;
  std::shared_ptr<http::leave_gate> retiring_; // null: it serves
};

/// Writes a line, given without its end, to stdout, where the parent reads. Any thread.
void tell_parent(std::string line);

/// Runs something that blocks on a thread of its own, which ends with it.
void run_detached(caf::actor_system& system, std::function<void()> task);

} // namespace caf_app

#include "actors/eval/zygote_actor.hpp"

#include "actors/eval/process/driver_process.hpp"
#include "caf_app/registry/asking.hpp"

namespace caf_app::eval {

namespace {

class zygote_actor final : public app_actor {
public:
  zygote_actor(caf::actor_config& cfg, zygote_options options)
      : app_actor(cfg), options_(std::move(options)) {}

  const char* name() const override { return "eval.zygote"; }

protected:
  caf::behavior make_behavior() override {
    watch(options_.dispatcher, [this](const down&) { quit(); });
    return {[this](const ::caf_app::eval::fork_worker& request) {
      send(options_.dispatcher, fork(request.worker));
    }};
  }

private:
  forked_worker fork(uint64_t worker) {
    forked_worker result;
    result.worker = worker;
    for (int attempt = 0; attempt < 2; ++attempt) {
      if (!process_)
        if (auto fault = start(); !fault.empty()) {
          result.fault = std::move(fault);
          return result;
        }
      auto forked = process_->fork_process(options_.tools->handshake_timeout_ms);
      if (auto process = std::get_if<forked_process>(&forked)) {
        result.fault.clear();
        result.pid = process->pid;
        result.pidfd = std::make_shared<owned_fd>(std::move(process->pidfd));
        result.socket = std::make_shared<owned_fd>(std::move(process->socket));
        return result;
      }
      result.fault = std::get<std::string>(forked);
      process_.reset();
    }
    return result;
  }

  std::string start() {
    auto started = driver_process::start(*options_.tools, options_.driver, options_.output->get(),
                                         options_.tools->handshake_timeout_ms);
    if (auto fault = std::get_if<std::string>(&started))
      return "the driver does not start: " + *fault;
    process_ = std::get<0>(std::move(started));
    return {};
  }

  zygote_options options_;
  std::unique_ptr<driver_process> process_;
};

} // namespace

caf::actor spawn_zygote(caf::actor_system& system, zygote_options options) {
  return system.spawn<zygote_actor, caf::detached>(std::move(options));
}

} // namespace caf_app::eval

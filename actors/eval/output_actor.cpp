#include "actors/eval/output_actor.hpp"

#include <fcntl.h>

#include "caf_app/loop/stream_socket.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app::eval {

namespace {

constexpr std::chrono::seconds write_timeout{5};

class output_actor final : public loop_app_actor, private stream_owner {
public:
  output_actor(caf::actor_config& cfg, event_loop* loop, std::string build, caf::actor builds,
               std::shared_ptr<owned_fd> fd)
      : loop_app_actor(cfg, loop), build_(std::move(build)), builds_(std::move(builds)),
        fd_(std::move(fd)) {}

  const char* name() const override { return "eval.output"; }

  void on_exit() override {
    close();
    loop_app_actor::on_exit();
  }

protected:
  caf::behavior make_behavior() override {
    ::fcntl(fd_->get(), F_SETFL, O_NONBLOCK);
    socket_ = stream_socket::open(*loop(), fd_->release(), *this);
    return {[this](const worker_stop&) { quit(); }};
  }

private:
  void on_data(std::span<const char> bytes) override {
    socket_->pause_reading();
    const auto go_on = [this] {
      if (socket_)
        socket_->resume_reading();
    };
    ask(builds_, write_timeout, worker_output{build_, std::string{bytes.data(), bytes.size()}})
        .then(go_on, [go_on](caf::error&) { go_on(); });
  }

  void on_end() override { stop(); }
  void on_drained() override {}
  void on_failed(int) override { stop(); }
  void on_exception() override { stop(); }

  void stop() {
    close();
    caf::anon_send(caf::actor{this}, worker_stop{});
  }

  void close() {
    if (socket_)
      std::exchange(socket_, nullptr)->close();
  }

  std::string build_;
  caf::actor builds_;
  std::shared_ptr<owned_fd> fd_;
  stream_socket* socket_ = nullptr;
};

} // namespace

caf::actor spawn_output(caf::actor_system& system, event_loop* loop, std::string build,
                        caf::actor builds, owned_fd socket) {
  return spawn_on<output_actor>(system, loop, std::move(build), std::move(builds),
                                std::make_shared<owned_fd>(std::move(socket)));
}

} // namespace caf_app::eval

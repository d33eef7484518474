#include "actors/http/fastcgi_farewell_handler.hpp"

#include "actors/http/fastcgi_limits.hpp"
#include "actors/http/fcgi_codec.hpp"

namespace caf_app::http {

namespace {

/// Owns itself until the request has ended, the connection is lost, or the second is over.
class farewell final : private upstream_user {
public:
  farewell(event_loop& loop, std::unique_ptr<upstream_link> link)
      : loop_(loop), link_(std::move(link)), timer_([this] { end(); }) {}

  void begin(steady::time_point now) {
    std::string record;
    append_fcgi_abort(record);
    link_->use(this);
    link_->resume();
    link_->write(record);
    loop_.timers().arm(timer_, now + limits::http::fastcgi_farewell);
  }

private:
  void on_bytes(std::span<const char> bytes) override {
    while (!bytes.empty()) {
      const auto step = reader_.feed(bytes);
      bytes = bytes.subspan(step.consumed);
      if (step.event == fcgi_event::end || step.event == fcgi_event::bad)
        return end();
    }
  }
  void on_upstream_end() override { end(); }
  void on_sent() override {}
  void on_upstream_failed(int) override { end(); }

  // Later: the link and the timer are on the call stack.
  void end() {
    if (std::exchange(ending_, true))
      return;
    loop_.post([this] { delete this; });
  }

  event_loop& loop_;
  std::unique_ptr<upstream_link> link_;
  fcgi_reader reader_;
  wheel_timer timer_;
  bool ending_ = false;
};

} // namespace

void say_farewell(event_loop& loop, std::unique_ptr<upstream_link> link, steady::time_point now) {
  if (link && !link->is_dead())
    (new farewell(loop, std::move(link)))->begin(now);
}

} // namespace caf_app::http

#include "actors/http/upstream_check_handler.hpp"

#include <utility>

namespace caf_app::http {

upstream_check::upstream_check(const upstream_plan& plan, size_t server, event_loop& loop,
                               std::function<socket_address()> address,
                               std::function<void(server_health)> on_change)
    : plan_(plan), server_(server), loop_(loop), address_(std::move(address)),
      on_change_(std::move(on_change)), counter_(*plan.config.health),
      timer_([this] { on_timer(); }) {
  loop_.timers().arm(timer_, loop_.now());
}

void upstream_check::on_timer() {
  if (link_)
    finish(server_verdict::bad); // late
  else
    ask();
}

void upstream_check::ask() {
  const auto& server = plan_.config.servers[server_];
  link_ = upstream_link::open(loop_, address_(), server_, plan_);
  if (link_->is_dead())
    return finish(server_verdict::bad);
  link_->use(this);
  parser_.reset(method::get);
  link_->write("GET " + plan_.config.health->path +
               " HTTP/1.1\r\nHost: " + (server.is_unix() ? "localhost" : server.address) +
               "\r\nUser-Agent: caf_app health\r\nConnection: close\r\n\r\n");
  loop_.timers().arm(timer_, loop_.now() + plan_.config.health->timeout);
}

void upstream_check::on_bytes(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto [used, event] = parser_.feed(bytes);
    bytes = bytes.subspan(used);
    if (event == response_event::need_more)
      return;
    const auto status = parser_.response().status;
    if (event == response_event::head && status < 200) {
      parser_.next();
      continue;
    }
    const auto good = event == response_event::head && status < 400;
    return finish(good ? server_verdict::good : server_verdict::bad);
  }
}

void upstream_check::finish(server_verdict result) {
  if (const auto link = std::move(link_))
    link->use(nullptr);
  loop_.timers().arm(timer_, loop_.now() + plan_.config.health->period);
  if (const auto health = counter_.note(result))
    on_change_(*health);
}

} // namespace caf_app::http

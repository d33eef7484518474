#include "actors/http/fpm_watch_handler.hpp"

#include <utility>

#include "actors/http/fastcgi_limits.hpp"

namespace caf_app::http {

fpm_watch::fpm_watch(const upstream_plan& plan, size_t server, event_loop& loop,
                     std::function<socket_address()> address,
                     std::function<void(std::optional<fpm_status>)> on_status)
    : plan_(plan), server_(server), loop_(loop), address_(std::move(address)),
      on_status_(std::move(on_status)), timer_([this] { on_timer(); }) {
  loop_.timers().arm(timer_, loop_.now());
}

void fpm_watch::on_timer() {
  if (link_)
    finish(link_->is_connected() ? std::optional{fpm_status{}} : std::nullopt); // late: all busy
  else
    ask();
}

void fpm_watch::ask() {
  link_ = upstream_link::open(loop_, address_(), server_, plan_);
  if (link_->how() == upstream_link::opening::busy)
    return finish(fpm_status{}); // its backlog is full
  if (link_->is_dead())
    return finish(std::nullopt);
  reader_.reset();
  head_ = cgi_head_reader{};
  has_head_ = false;
  page_.clear();
  link_->use(this);
  link_->write(fpm_status_request(plan_.config.status_path));
  loop_.timers().arm(timer_, loop_.now() + limits::http::fpm_status_period);
}

void fpm_watch::on_bytes(std::span<const char> bytes) {
  while (!bytes.empty()) {
    const auto step = reader_.feed(bytes);
    bytes = bytes.subspan(step.consumed);
    if (step.event == fcgi_event::bad)
      return finish(std::nullopt);
    if (step.event == fcgi_event::end)
      return finish(has_head_ && head_.head().status == 200 ? parse_fpm_status(page_)
                                                            : std::nullopt);
    if (step.event != fcgi_event::output)
      continue;
    if (has_head_) {
      page_.append(step.data.data(), step.data.size());
    } else if (const auto read = head_.feed(step.data); read == cgi_head_reader::outcome::head) {
      has_head_ = true;
      page_ = head_.rest();
    } else if (read == cgi_head_reader::outcome::bad) {
      return finish(std::nullopt);
    }
    if (page_.size() > limits::http::fpm_status_bytes)
      return finish(std::nullopt);
  }
}

void fpm_watch::finish(std::optional<fpm_status> status) {
  if (const auto link = std::move(link_))
    link->use(nullptr);
  loop_.timers().arm(timer_, loop_.now() + limits::http::fpm_status_period);
  on_status_(status);
}

} // namespace caf_app::http

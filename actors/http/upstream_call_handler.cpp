#include "actors/http/upstream_call_handler.hpp"

#include <algorithm>
#include <cstring>

#include "actors/http/client_address.hpp"

namespace caf_app::http {

std::string balance_key(const exchange& open, balance_kind balance) {
  switch (balance) {
    case balance_kind::hash_path: return std::string{open.request().path};
    case balance_kind::hash_ip: return std::string{without_port(open.peer())};
    case balance_kind::least_conn:
    case balance_kind::round_robin: break;
  }
  return {};
}

void refuse_for_now(exchange& open) {
  const auto seconds = std::to_string(limits::http::retry_after.count());
  const field retry_after{"Retry-After", seconds};
  open.refuse(fault::shed, {&retry_after, 1});
}

// The timer's callback may not end its own timer, but what it sets off may: hence the job.
upstream_call::upstream_call(const route_entry& entry, exchange& open,
                             std::shared_ptr<upstream_pool> pool, std::string key)
    : entry_(entry), open_(open), now_(open.context().now), method_(open.request().method),
      pool_(std::move(pool)), counters_(open.context().counters), key_(std::move(key)),
      began_(now_), since_(now_), timer_([this] {
        pool_->loop().post([this, alive = std::weak_ptr<bool>{alive_}] {
          if (!alive.expired())
            on_timer();
        });
      }) {
  counters_->in_flight(wait_state::upstream).add();
}

upstream_call::~upstream_call() {
  leave_books();
  if (ticket_ != 0)
    pool_->cancel(ticket_);
  release(server_verdict::unknown, outcome::aborted);
}

void upstream_call::leave_books() noexcept {
  if (std::exchange(in_books_, false))
    counters_->in_flight(wait_state::upstream).sub();
}

// -- a server -----------------------------------------------------------------

bool upstream_call::begin() {
  const auto alive = std::weak_ptr<bool>{alive_};
  pool_->retries().request(now_);
  seek();
  return alive.expired() || stage_ == stage::over;
}

void upstream_call::seek() {
  const auto server =
      tries_ == 0 ? pool_->pick(key_, tried_) : pool_->balancer().pick(now_, key_, tried_);
  if (server)
    connect(*server);
  else
    wait_for_room();
}

void upstream_call::wait_for_room() {
  if (!pool_->balancer().is_dead(now_))
    ticket_ = pool_->wait(key_, tried_,
                          [this, pool = pool_, alive = std::weak_ptr<bool>{alive_}](size_t server) {
                            const auto ran = !alive.expired() && guarded([&] {
                              ticket_ = 0;
                              const auto waited = to_seconds(now_ - began_);
                              plan().counters.queue_seconds.observe(waited);
                              connect(server);
                            });
                            if (!ran)
                              pool->done(server, server_verdict::unknown);
                          });
  if (ticket_ == 0)
    return fail(503, outcome::unavailable);
  stage_ = stage::waiting;
  set_deadline(plan().config.queue_timeout);
}

void upstream_call::connect(size_t server) {
  ++tries_;
  server_ = server;
  holds_server_ = true;
  stage_ = stage::connecting;
  since_ = now_;
  address_ = pool_->next_address(server);
  address_tries_ = 0;
  sent_mark_ = 0;
  give_up_at_ = now_ + plan().config.connect_timeout;
  open_link();
}

void upstream_call::open_link() {
  auto link = pool_->take(server_, address_, wanted_);
  switch (link->how()) {
    case upstream_link::opening::under_way: break;
    case upstream_link::opening::busy: return try_backlog_again();
    case upstream_link::opening::refused: return lost(outcome::refused);
    case upstream_link::opening::no_descriptor: return fail(503, outcome::unavailable);
  }
  link_ = std::move(link);
  plan().counters.active.add();
  link_->use(this);
  set_deadline(give_up_at_ - now_);
  const auto known = link_->is_connected();
  send_head(*link_);
  if (known || link_->is_connected())
    connected();
}

// A full backlog is a queue like ours, only that nobody tells when there is room (unix(7)).
void upstream_call::try_backlog_again() {
  plan().counters.backlog_full.add();
  const auto spread = 1 + open_.id() % 3; // who came together asks one after the other
  const auto next = limits::http::backlog_retry * static_cast<int>(spread);
  if (now_ + next >= give_up_at_)
    return lost(outcome::timeout);
  set_deadline(next);
}

// Content that goes makes room for more, and that may end the exchange.
// @returns false if this is over, and perhaps gone
bool upstream_call::connected() {
  stage_ = stage::sending;
  if (!link_->reused)
    plan().counters.connect_seconds.observe(to_seconds(now_ - since_));
  since_ = now_;
  const auto alive = std::weak_ptr<bool>{alive_};
  send_content();
  if (alive.expired() || stage_ != stage::sending)
    return false;
  await_response();
  return true;
}

void upstream_call::answering() {
  stage_ = stage::answering;
  head_due_ = steady::time_point::max();
  plan().counters.first_byte_seconds.observe(to_seconds(now_ - since_));
  note_time();
}

// -- what the connection says -------------------------------------------------

void upstream_call::on_bytes(std::span<const char> bytes) {
  guarded([&] {
    if (stage_ == stage::connecting && !connected())
      return;
    got_byte_ = true;
    receive(bytes);
  });
}

void upstream_call::on_sent() {
  guarded([this] {
    if (stage_ == stage::connecting && !connected())
      return;
    if (stage_ == stage::sending && complete_ && !patience_)
      await_response();
    output_sent();
  });
}

void upstream_call::on_upstream_end() {
  guarded([this] {
    if (stage_ == stage::answering)
      input_ended();
    else
      lost(outcome::failed);
  });
}

void upstream_call::on_upstream_failed(int error) {
  guarded([this, error] {
    const auto tls = link_ ? link_->tls_failure() : std::string_view{};
    trouble_ = tls.empty() ? std::string_view{std::strerror(error)} : tls;
    if (stage_ == stage::answering)
      cut(outcome::failed);
    else
      lost(stage_ == stage::connecting ? outcome::refused : outcome::failed);
  });
}

void upstream_call::on_room() {
  if (!link_)
    return;
  link_->resume();
  if (stage_ == stage::answering)
    set_deadline(plan().config.read_timeout);
}

// -- what goes wrong ----------------------------------------------------------

// A name may stand for several addresses, of which one may not be served: localhost is the usual
// one.
bool upstream_call::has_other_address(outcome how) {
  if (how != outcome::refused || ++address_tries_ >= pool_->addresses(server_))
    return false;
  ++address_;
  return true;
}

bool upstream_call::may_try_again(counter& cause) {
  if (tries_ > plan().config.retries || !pool_->retries().take(now_))
    return false;
  cause.add();
  return true;
}

// No response. A connection from stock may have been closed while the request was under way, which
// says nothing of the server; one that never came about has cost nothing.
void upstream_call::lost(outcome how) {
  const auto connecting = stage_ == stage::connecting;
  const auto untouched = link_ && link_->sent_for_user() == 0;
  const auto stale = !connecting && link_ && link_->reused && !got_byte_ &&
                     how == outcome::failed && is_whole() && (is_idempotent(method_) || untouched);
  const auto timed_out = how == outcome::timeout;
  if (connecting && has_other_address(how)) {
    if (std::exchange(link_, nullptr))
      plan().counters.active.sub();
    return open_link();
  }
  release(stale ? server_verdict::unknown : server_verdict::bad, how);
  if (connecting) {
    tried_.resize(plan().config.servers.size());
    tried_[server_] = true;
  } else if (stale) {
    wanted_ = upstream_pool::freshness::fresh;
  }
  const auto others = std::find(tried_.begin(), tried_.end(), false) != tried_.end();
  const auto& counters = plan().counters;
  // At most once, and it costs no server anything: the budget is for what does.
  if (stale) {
    counters.retries_stale.add();
    return seek();
  }
  if (connecting && others && may_try_again(counters.retries_connect))
    return seek();
  fail(timed_out ? 504 : 502, how);
}

void upstream_call::fail(uint16_t status, outcome how) {
  if (stage_ == stage::answering)
    return cut(how);
  if (!holds_server_ && tries_ == 0)
    plan().counters.ended(how);
  const auto link =
      release(how == outcome::unavailable ? server_verdict::unknown : server_verdict::bad, how);
  stage_ = stage::over;
  timer_.cancel();
  note_time();
  if (status == 503)
    return refuse_for_now(open_);
  std::vector<field> fields;
  add_missing(fields, entry_.headers);
  open_.respond_status(status, fields);
}

void upstream_call::cut(outcome how) {
  const auto link = release(server_verdict::bad, how);
  stage_ = stage::over;
  timer_.cancel();
  open_.abort();
}

std::unique_ptr<upstream_link> upstream_call::release(server_verdict verdict, outcome how) {
  auto link = std::move(link_);
  if (link) {
    link->use(nullptr);
    plan().counters.active.sub();
  }
  if (std::exchange(holds_server_, false)) {
    if (verdict == server_verdict::bad)
      pool_->complain(server_, trouble_.empty() ? to_string(how) : trouble_);
    trouble_.clear();
    plan().counters.ended(how);
    pool_->done(server_, verdict);
  }
  return link;
}

std::unique_ptr<upstream_link> upstream_call::end(outcome how) {
  auto link = release(server_verdict::good, how);
  stage_ = stage::over;
  timer_.cancel();
  return link;
}

} // namespace caf_app::http

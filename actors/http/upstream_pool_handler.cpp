#include "actors/http/upstream_pool_handler.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds complaint_period{1};

upstream_rules rules_of(const http_upstream& config) {
  return {config.balance,    config.max_conns, config.eject_fails, config.eject_window,
          config.eject_time, config.eject_max, config.slow_start};
}

std::vector<upstream_server_rule> servers_of(const http_upstream& config) {
  std::vector<upstream_server_rule> result;
  for (const auto& each : config.servers)
    result.push_back({each.weight, each.backup});
  return result;
}

bool is_name(const std::string& address) { return !parse_socket_address(address); }

} // namespace

upstream_pool::upstream_pool(upstream_plan_ptr plan, event_loop& loop, loop_context& context)
    : plan_(std::move(plan)), loop_(loop), workers_(context.workers), log_(context.log),
      now_(context.now), balancer_(rules_of(plan_->config), servers_of(plan_->config)),
      retries_(plan_->config.retry_budget), addresses_(plan_->addresses),
      turn_(plan_->config.servers.size()), idle_(plan_->config.servers.size()),
      resolved_(plan_->config.servers.size(), now_), suspects_(plan_->config.servers.size()),
      sweep_([this] { drop_old(); }) {}

upstream_pool::~upstream_pool() { close(); }

// -- a server for a request ---------------------------------------------------

void upstream_pool::done(size_t server, server_verdict verdict) {
  if (verdict != server_verdict::unknown)
    suspects_[server] = verdict == server_verdict::bad;
  if (suspects_[server])
    resolve_again(server);
  balancer_.done(server, verdict, now_);
  if (!waiters_.empty())
    serve_waiters();
}

// By jobs: whoever calls may be in the middle of an answer of its own.
void upstream_pool::serve_waiters() {
  for (auto next = waiters_.begin(); next != waiters_.end();) {
    const auto server = balancer_.pick(now_, next->key, next->tried);
    if (!server) {
      if (next->tried.empty())
        return; // all others want the same
      ++next;
      continue;
    }
    loop_.post([call = std::move(next->on_server), server = *server] { call(server); });
    next = waiters_.erase(next);
    plan_->counters.waiting.sub();
  }
}

uint64_t upstream_pool::wait(std::string key, server_set tried,
                             std::function<void(size_t server)> on_server) {
  if (waiters_.size() >= plan_->config.queue)
    return 0;
  waiters_.push_back({++tickets_, std::move(key), std::move(tried), std::move(on_server)});
  plan_->counters.waiting.add();
  return tickets_;
}

void upstream_pool::cancel(uint64_t ticket) {
  const auto i = std::find_if(waiters_.begin(), waiters_.end(),
                              [&](const waiter& each) { return each.ticket == ticket; });
  if (i == waiters_.end())
    return;
  waiters_.erase(i);
  plan_->counters.waiting.sub();
}

// -- connections --------------------------------------------------------------

bool upstream_pool::is_fresh(const upstream_link& link) const {
  return !link.is_dead() && now_ - link.idle_since < plan_->config.keepalive_idle &&
         now_ - link.opened < plan_->config.max_age;
}

std::unique_ptr<upstream_link> upstream_pool::take(size_t server, size_t address,
                                                   freshness wanted) {
  auto& idle = idle_[server];
  while (wanted == freshness::any && !idle.empty()) {
    auto link = std::move(idle.back());
    idle.pop_back();
    plan_->counters.idle.sub();
    if (is_fresh(*link) && !link->has_input()) {
      link->reused = true;
      return link;
    }
  }
  resolve_again(server);
  const auto& addresses = addresses_[server];
  auto link = upstream_link::open(loop_, addresses[address % addresses.size()], server, *plan_);
  link->opened = now_;
  return link;
}

void upstream_pool::keep(std::unique_ptr<upstream_link> link) {
  auto& idle = idle_[link->server()];
  link->rest(*this);
  link->idle_since = now_;
  if (closed_ || link->is_dead() || idle.size() >= plan_->config.keepalive ||
      now_ - link->opened >= plan_->config.max_age)
    return;
  link->resume(); // to hear of its end
  idle.push_back(std::move(link));
  plan_->counters.idle.add();
  if (!sweep_.armed())
    loop_.timers().arm(sweep_, now_ + plan_->config.keepalive_idle);
}

void upstream_pool::drop_idle() {
  for (auto& links : idle_) {
    const auto before = links.size();
    std::erase_if(links, [&](const auto& link) { return !is_fresh(*link); });
    plan_->counters.idle.sub(static_cast<int64_t>(before - links.size()));
  }
}

void upstream_pool::drop_old() {
  drop_idle();
  if (std::any_of(idle_.begin(), idle_.end(), [](const auto& links) { return !links.empty(); }))
    loop_.timers().arm(sweep_, now_ + plan_->config.keepalive_idle / 4 + limits::loop::tick);
}

// By a job: it is in one of its callbacks, and often others follow in the same pass.
void upstream_pool::on_idle_end() {
  if (std::exchange(dropping_, true))
    return;
  loop_.post([self = weak_from_this()] {
    if (const auto pool = self.lock()) {
      pool->dropping_ = false;
      pool->drop_idle();
    }
  });
}

void upstream_pool::watch() {
  watch_fpm();
  if (!plan_->config.health)
    return;
  for (size_t i = 0; i < plan_->config.servers.size(); ++i)
    checks_.push_back(std::make_unique<upstream_check>(
        *plan_, i, loop_,
        [this, i] {
          resolve_again(i); // nobody else asks a server that is down
          return addresses_[i][next_address(i) % addresses_[i].size()];
        },
        [this, i](server_health health) { on_health(i, health); }));
}

void upstream_pool::on_health(size_t server, server_health health) {
  balancer_.set_health(server, health, now_);
  suspects_[server] = health == server_health::down;
  if (log_)
    log_->warning(
        {"http.upstream", 0},
        health == server_health::up ? "a server is up again" : "a server is down",
        {{"upstream", plan_->config.name}, {"server", plan_->config.servers[server].address}});
  if (health == server_health::up)
    serve_waiters();
}

void upstream_pool::close() {
  closed_ = true;
  checks_.clear();
  fpm_.clear();
  sweep_.cancel();
  for (auto& links : idle_) {
    plan_->counters.idle.sub(static_cast<int64_t>(links.size()));
    links.clear();
  }
}

void upstream_pool::complain(size_t server, std::string_view what) {
  if (!log_ || now_ - complained_ < complaint_period)
    return;
  complained_ = now_;
  log_->warning({"http.upstream", 0}, "a server fails",
                {{"upstream", plan_->config.name},
                 {"server", plan_->config.servers[server].address},
                 {"why", std::string{what}}});
}

// Names move, and the server that fails may be one that did. A look-up blocks, so it runs elsewhere
// and the next connection profits.
void upstream_pool::resolve_again(size_t server) {
  const auto& name = plan_->config.servers[server].address;
  const auto age = suspects_[server] ? limits::http::name_age_suspect : limits::http::name_age;
  if (!workers_ || now_ - resolved_[server] < age || !is_name(name))
    return;
  resolved_[server] = now_;
  auto found = std::make_shared<address_list>();
  workers_->run(
      [found, name] {
        if (auto fresh = resolve_address(name))
          *found = std::move(*fresh);
      },
      [found, server, self = weak_from_this()] {
        if (const auto pool = self.lock(); pool && !found->empty())
          pool->addresses_[server] = *found;
      });
}

// -- the pools of a loop ------------------------------------------------------

std::shared_ptr<upstream_pool> upstream_pools::of(const upstream_plan_ptr& plan) {
  const auto found = pools_.find(plan->config.name);
  if (found != pools_.end() && found->second->is_for(plan))
    return found->second;
  if (!closed_ && std::find(plans_.begin(), plans_.end(), plan) != plans_.end())
    return add(plan);
  auto pool = std::make_shared<upstream_pool>(plan, loop_, context_);
  pool->close(); // of a request that began with an older configuration
  return pool;
}

std::shared_ptr<upstream_pool> upstream_pools::add(const upstream_plan_ptr& plan) {
  auto& place = pools_[plan->config.name];
  if (place)
    place->close();
  place = std::make_shared<upstream_pool>(plan, loop_, context_);
  place->watch();
  return place;
}

void upstream_pools::use(std::vector<upstream_plan_ptr> plans) {
  plans_ = std::move(plans);
  if (closed_)
    return;
  for (auto i = pools_.begin(); i != pools_.end();) {
    const auto& pool = i->second;
    const auto stays = std::any_of(plans_.begin(), plans_.end(),
                                   [&](const auto& plan) { return pool->is_for(plan); });
    if (!stays)
      pool->close();
    i = stays ? std::next(i) : pools_.erase(i);
  }
  for (const auto& plan : plans_)
    if (plan->config.health && !pools_.count(plan->config.name))
      add(plan);
}

void upstream_pools::open() {
  closed_ = false;
  use(std::move(plans_));
}

void upstream_pools::close() {
  closed_ = true;
  for (const auto& [name, pool] : pools_)
    pool->close();
  pools_.clear();
}

} // namespace caf_app::http

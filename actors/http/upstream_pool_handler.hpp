// The connections of one loop to the servers of one upstream: opened, lent to one request at a
// time, kept while idle, dropped as soon as anything comes on an idle one. Which server is next and
// who may try again is upstream_policy's and retry_budget's; what is spoken is the borrower's.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/http/fpm_watch_handler.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/retry_budget.hpp"
#include "actors/http/upstream_check_handler.hpp"
#include "actors/http/upstream_link_handler.hpp"
#include "actors/http/upstream_plan_handler.hpp"
#include "actors/http/upstream_policy.hpp"

namespace caf_app::http {

/// Lives as long as somebody needs it: the configuration, or a request that began with an older
/// one. On its loop only.
class upstream_pool : public std::enable_shared_from_this<upstream_pool>, private upstream_home {
public:
  upstream_pool(upstream_plan_ptr plan, event_loop& loop, loop_context& context);
  ~upstream_pool();

  const upstream_plan& plan() const noexcept { return *plan_; }

  /// Whether `plan` says the same as this pool's.
  bool is_for(const upstream_plan_ptr& plan) const {
    return plan == plan_ || plan->config == plan_->config;
  }

  upstream_balancer& balancer() noexcept { return balancer_; }
  retry_budget& retries() noexcept { return retries_; }
  event_loop& loop() noexcept { return loop_; }

  // -- a server for a request --------------------------------------------------------------

  /// Chooses and counts a server, unless others have waited longer for one.
  std::optional<size_t> pick(std::string_view key, const server_set& tried) {
    return waiters_.empty() ? balancer_.pick(now_, key, tried) : std::nullopt;
  }

  /// The request of a pick() is over; who waits may be next.
  void done(size_t server, server_verdict verdict);

  /// Waits until a server has room. @param on_server called with one that is counted, as if picked,
  /// by a job of its own
  /// @returns a ticket, 0 if too many wait already
  uint64_t wait(std::string key, server_set tried, std::function<void(size_t server)> on_server);

  /// Waits no more; a call that is on its way still comes.
  void cancel(uint64_t ticket);

  // -- connections ---------------------------------------------------------------------------

  /// Whether a connection may have served a request before.
  enum class freshness : uint8_t { any, fresh };

  /// Which of the addresses of `server` is next, and how many it has.
  size_t next_address(size_t server) { return turn_[server]++; }
  size_t addresses(size_t server) const { return addresses_[server].size(); }

  /// A connection to `server`: an idle one, unless a fresh one is wanted, else a new one, whose
  /// how() tells what became of it. @param address any number, taken modulo addresses()
  std::unique_ptr<upstream_link> take(size_t server, size_t address, freshness wanted);

  /// Gives a connection back that may serve another request.
  void keep(std::unique_ptr<upstream_link> link);

  /// Active checks begin, if the configuration wants any.
  void watch();

  /// No connection stays idle from now on, those that are end, and so do checks.
  void close();

  /// Says in the log why a server fails, at most once per second.
  void complain(size_t server, std::string_view what);

private:
  struct waiter {
    uint64_t ticket;
    std::string key;
    server_set tried;
    std::function<void(size_t)> on_server;
  };

  bool is_fresh(const upstream_link& link) const;
  void on_idle_end() override;
  void drop_idle();
  void on_health(size_t server, server_health health);
  void watch_fpm();
  void on_fpm_status(size_t server, std::optional<fpm_status> status);
  void serve_waiters();
  void drop_old();
  void resolve_again(size_t server);

  upstream_plan_ptr plan_;
  event_loop& loop_;
  std::shared_ptr<worker_pool> workers_;
  logger_ptr log_;
  const steady::time_point& now_;
  upstream_balancer balancer_;
  retry_budget retries_;
  std::vector<address_list> addresses_;
  std::vector<size_t> turn_;                                      // of the addresses of a name
  std::vector<std::vector<std::unique_ptr<upstream_link>>> idle_; // by server, newest last
  std::deque<waiter> waiters_;
  uint64_t tickets_ = 0;
  std::vector<steady::time_point> resolved_;            // names, by server
  std::vector<bool> suspects_;                          // servers that failed last
  std::vector<std::unique_ptr<upstream_check>> checks_; // by server, or none
  std::vector<std::unique_ptr<fpm_watch>> fpm_;         // by server, or none
  std::vector<std::optional<fpm_status>> fpm_said_;     // by server
  steady::time_point complained_{};
  bool closed_ = false;
  bool dropping_ = false; // a job will take out dead ones
  wheel_timer sweep_;
};

/// The pools of one loop.
class upstream_pools {
public:
  /// @param context of the loop, which outlives this
  /// @param plans of the first configuration
  upstream_pools(event_loop& loop, loop_context& context, std::vector<upstream_plan_ptr> plans)
      : loop_(loop), context_(context), plans_(std::move(plans)) {}

  /// The pool for `plan`; an older one with the same configuration will do.
  std::shared_ptr<upstream_pool> of(const upstream_plan_ptr& plan);

  /// The upstreams of the current configuration: others are forgotten.
  void use(std::vector<upstream_plan_ptr> plans);

  /// From now on connections are kept and servers are checked.
  void open();

  /// The web tier goes away: no connection stays idle from now on.
  void close();

private:
  std::shared_ptr<upstream_pool> add(const upstream_plan_ptr& plan);

  event_loop& loop_;
  loop_context& context_;
  std::unordered_map<std::string, std::shared_ptr<upstream_pool>> pools_; // by name
  std::vector<upstream_plan_ptr> plans_;
  bool closed_ = true; // until open()
};

} // namespace caf_app::http

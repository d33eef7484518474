// What an upstream_pool asks PHP-FPM for.
#include "actors/http/upstream_pool_handler.hpp"

namespace caf_app::http {

// Once per process: all loops would hear the same.
void upstream_pool::watch_fpm() {
  if (!plan_->fpm || loop_.index() != 0)
    return;
  fpm_said_.resize(plan_->config.servers.size());
  for (size_t i = 0; i < plan_->config.servers.size(); ++i)
    fpm_.push_back(std::make_unique<fpm_watch>(
        *plan_, i, loop_,
        [this, i] { return addresses_[i][next_address(i) % addresses_[i].size()]; },
        [this, i](std::optional<fpm_status> status) { on_fpm_status(i, status); }));
}

void upstream_pool::on_fpm_status(size_t server, std::optional<fpm_status> status) {
  fpm_said_[server] = status;
  std::optional<fpm_status> sum;
  for (const auto& each : fpm_said_) {
    if (!each)
      continue;
    sum = sum.value_or(fpm_status{});
    sum->idle += each->idle;
    sum->active += each->active;
    sum->listen_queue += each->listen_queue;
  }
  plan_->fpm->idle.set(sum ? static_cast<int64_t>(sum->idle) : -1);
  plan_->fpm->active.set(sum ? static_cast<int64_t>(sum->active) : -1);
  plan_->fpm->queue.set(sum ? static_cast<int64_t>(sum->listen_queue) : -1);
}

} // namespace caf_app::http

// What the web tier tells about itself: addresses, connections, queues.
#include <algorithm>

#include "actors/http/http_supervisor.hpp"
#include "actors/http/listener_actor.hpp"

namespace caf_app::http {

/// What waits to be accepted, of all loops.
void http_service::show_queue(const std::shared_ptr<listener>& which) const {
  which->queue =
      options_.books->observe("caf_http_accept_queue", "Connections that wait to be accepted.",
                              [states = which->states] {
                                double sum = 0;
                                for (const auto& state : states)
                                  if (const auto socket = state->socket.load())
                                    sum += caf_app::accept_queue(socket->fd()).first;
                                return sum;
                              },
                              {{"listener", to_string(which->address)}});
}

std::pair<uint64_t, uint64_t> http_service::accept_queue() const {
  std::pair<uint64_t, uint64_t> result;
  for (const auto& which : tcp_listeners())
    for (const auto fd : which->fds()) {
      const auto [queued, limit] = caf_app::accept_queue(fd);
      result.first = std::max<uint64_t>(result.first, queued);
      result.second = std::max<uint64_t>(result.second, limit);
    }
  return result;
}

namespace {

std::optional<uint64_t> idle_workers(const upstream_plan& plan) {
  const auto idle = plan.fpm ? plan.fpm->idle.value() : -1;
  return idle < 0 ? std::nullopt : std::optional{static_cast<uint64_t>(idle)};
}

} // namespace

std::vector<upstream_signal> http_service::upstreams() const {
  const std::lock_guard guard{mutex_};
  std::vector<upstream_signal> result;
  for (const auto& plan : plans_)
    result.push_back({plan->config.name,
                      static_cast<uint64_t>(std::max<int64_t>(plan->counters.waiting.value(), 0)),
                      plan->counters.backlog_full.value(), idle_workers(*plan)});
  return result;
}

size_t http_service::connections() const {
  size_t count = 0;
  for (const auto& context : contexts_)
    count += context->connections;
  return count;
}

std::vector<std::string> http_service::addresses() const {
  const std::lock_guard guard{mutex_};
  std::vector<std::string> result;
  for (const auto& [address, which] : listeners_)
    result.push_back(to_string(which->address));
  return result;
}

std::vector<std::string> http_service::addresses(listener_kind kind) const {
  const std::lock_guard guard{mutex_};
  std::vector<std::string> result;
  for (const auto& [key, at] : places_of(*config_))
    if (const auto found = listeners_.find(key);
        found != listeners_.end() && at.tls == (kind == listener_kind::tls))
      result.push_back(to_string(found->second->address));
  return result;
}

} // namespace caf_app::http

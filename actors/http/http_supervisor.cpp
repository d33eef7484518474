#include "actors/http/http_supervisor.hpp"

#include <algorithm>

#include <caf/send.hpp>

#include "actors/http/actor_handler.hpp"
#include "actors/http/hook_handler.hpp"
#include "actors/http/listener_actor.hpp"
#include "actors/http/redirect_handler.hpp"
#include "actors/http/respond_handler.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds stop_grace{1}; // of killed listeners, beyond their connections'

std::string last_part(const socket_address& address) {
  return address.family() == AF_UNIX ? "control" : std::to_string(address.port());
}

/// Listeners and connections come and go by themselves; a listener that cannot start is worth a few
/// tries.
supervisor_options keeper_of(std::vector<child_spec> children) {
  supervisor_options options;
  options.children = std::move(children);
  return options;
}

} // namespace

http_service::http_service(http_service_options options)
    : options_(std::move(options)), counters_(std::make_shared<http_metrics>(*options_.books)),
      config_(options_.config) {}

caf::expected<std::shared_ptr<http_service>> http_service::make(http_service_options options) {
  std::shared_ptr<http_service> service{new http_service(std::move(options))};
  auto table = service->make_table(service->config_);
  if (!table)
    return std::move(table.error());
  if (const auto& path = service->config_->access_log; !path.empty()) {
    auto log = access_log::open(path, service->counters_->log_dropped);
    if (!log)
      return std::move(log.error());
    service->access_log_ = std::move(*log);
  }
  const auto loops = std::min(service->config_->loops, service->options_.loops.size());
  for (size_t i = 0; i < loops; ++i) {
    auto& loop = *service->options_.loops[i];
    service->contexts_.push_back(std::make_shared<loop_context>(
        *table, service->counters_, service->options_.log, i, loop.now()));
    service->contexts_.back()->access_log = service->access_log_;
  }
  for (const auto& socket : service->options_.sockets)
    service->listeners_.emplace(to_string(socket->address()), service->adopt(socket));
  for (const auto& where : service->config_->listen) {
    auto bound = service->bind(where, service->config_->backlog, service->options_.sharing);
    if (!bound)
      return std::move(bound.error());
    service->listeners_.emplace(to_string(where), std::move(*bound));
  }
  return service;
}

caf::expected<site_table_ptr> http_service::make_table(http_config_ptr config) const {
  auto extras = options_.extras;
  if (config->test_hooks)
    for (auto& hook : test_hook_routes(config->limits))
      extras.push_back(std::move(hook));
  return site_table::make(
      config, *options_.books,
      [this, &config](const route_entry& entry) { return make_handler(*config, entry); }, extras);
}

caf::expected<std::unique_ptr<route_handler>>
http_service::make_handler(const http_config& config, const route_entry& entry) const {
  switch (entry.config.kind) {
    case route_kind::respond: return respond_handler::make(entry, config.server);
    case route_kind::redirect: return std::make_unique<redirect_handler>(entry);
    case route_kind::actor:
      return std::make_unique<actor_handler>(entry, options_.names, *options_.books);
  }
  return caf::make_error(errc::invalid_config, "route " + entry.config.path + " has no handler");
}

std::shared_ptr<http_service::listener> http_service::adopt(listen_socket_ptr socket) const {
  auto result = std::make_shared<listener>();
  result->id = options_.node + ":" + last_part(socket->address());
  result->sockets.push_back(std::move(socket));
  result->states.push_back(std::make_shared<listener_state>());
  return result;
}

caf::expected<std::shared_ptr<http_service::listener>>
http_service::bind(const host_port& where, int backlog, port_sharing sharing) const {
  auto address = parse_socket_address(to_string(where));
  if (!address)
    return std::move(address.error());
  auto result = std::make_shared<listener>();
  for (size_t i = 0; i < contexts_.size(); ++i) {
    auto socket = listen_tcp(*address, backlog, i == 0 ? sharing : port_sharing::shared);
    if (!socket)
      return std::move(socket.error());
    address = (*socket)->address(); // port 0: all loops share the one that the kernel chose
    result->sockets.push_back(std::move(*socket));
    result->states.push_back(std::make_shared<listener_state>());
  }
  result->id = options_.node + ":" + last_part(*address);
  const auto taken = [&](const auto& entry) { return entry.second->id == result->id; };
  if (std::any_of(listeners_.begin(), listeners_.end(), taken))
    result->id = options_.node + ":" + to_string(*address);
  return result;
}

child_spec http_service::spec() {
  const std::lock_guard guard{mutex_};
  std::vector<child_spec> listeners;
  for (const auto& [address, which] : listeners_)
    listeners.push_back(listener_spec(which));
  const auto timeout = config_->limits.drain_deadline;
  std::vector<child_spec> children;
  if (access_log_) {
    child_spec writer;
    writer.id = "access_log";
    writer.start = [log = access_log_](const start_context& start) -> caf::expected<caf::actor> {
      return start.system.spawn(access_log_actor, log);
    };
    children.push_back(std::move(writer));
  }
  children.push_back(supervisor_child("listener", keeper_of(std::move(listeners)), timeout));
  return supervisor_child(options_.id, keeper_of(std::move(children)), timeout + stop_grace);
}

child_spec http_service::listener_spec(const std::shared_ptr<listener>& which) const {
  std::vector<child_spec> children;
  for (size_t i = 0; i < which->sockets.size(); ++i) {
    child_spec child;
    child.id = "loop-" + std::to_string(options_.loops[i]->index());
    child.kind = child_kind::supervisor;
    child.restart = restart_type::transient; // it ends normally when it was drained
    auto* loop = options_.loops[i];
    child.start = [which, i, loop, context = contexts_[i],
                   log = options_.log](const start_context& start) -> caf::expected<caf::actor> {
      supervisor_options options;
      options.path = start.path;
      options.tree = start.tree;
      options.adopted_shutdown_timeout = stop_grace;
      return spawn_on<listener_actor>(start.system, loop, std::move(options), which->sockets[i],
                                      context, which->states[i]);
    };
    children.push_back(std::move(child));
  }
  return supervisor_child(which->id, keeper_of(std::move(children)), 2 * stop_grace);
}

std::string http_service::keeper_path() const {
  return join_path(join_path(options_.parent, options_.id), "listener");
}

void http_service::drain(caf::actor_system& system, const listener& which) const {
  for (const auto& entry : options_.tree->list(join_path(keeper_path(), which.id)))
    if (entry.path.find("/loop-") != std::string::npos &&
        entry.path.find("/conn-") == std::string::npos)
      if (auto actor = caf::actor_cast<caf::actor>(entry.address))
        caf::anon_send(actor, drain_listener{});
}

void http_service::drain(caf::actor_system& system) {
  const std::lock_guard guard{mutex_};
  for (const auto& [address, which] : listeners_)
    drain(system, *which);
}

bool http_service::drained() const {
  const std::lock_guard guard{mutex_};
  for (const auto& [address, which] : listeners_)
    for (const auto& state : which->states)
      if (!state->left)
        return false;
  return connections() == 0;
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
    result.push_back(to_string(which->sockets.front()->address()));
  return result;
}

caf::error http_service::reload(caf::actor_system& system, http_config_ptr config) {
  if (config->loops != config_->loops || config->access_log != config_->access_log)
    options_.log->warning({options_.id, 0}, "http.loops and http.access_log change with a restart");
  auto table = make_table(config);
  if (!table)
    return std::move(table.error());
  const std::lock_guard guard{mutex_};
  std::map<std::string, std::shared_ptr<listener>> wanted;
  for (const auto& socket : options_.sockets)
    wanted[to_string(socket->address())] = listeners_[to_string(socket->address())];
  std::vector<std::shared_ptr<listener>> fresh;
  for (const auto& where : config->listen) {
    auto& place = wanted[to_string(where)];
    if (auto i = listeners_.find(to_string(where)); i != listeners_.end()) {
      place = i->second;
      continue;
    }
    auto bound = bind(where, config->backlog, options_.sharing);
    if (!bound)
      return std::move(bound.error());
    place = *bound;
    fresh.push_back(std::move(*bound));
  }
  if (access_log_)
    if (auto err = access_log_->reopen())
      return err;
  // Nothing can fail from here on.
  for (size_t i = 0; i < contexts_.size(); ++i)
    options_.loops[i]->post([context = contexts_[i], table = *table] { context->table = table; });
  const auto keeper = options_.tree->find(keeper_path());
  for (const auto& which : fresh)
    if (auto actor = keeper ? caf::actor_cast<caf::actor>(keeper->address) : caf::actor{})
      caf::anon_send(actor, add_child{std::make_shared<child_spec>(listener_spec(which))});
  for (const auto& [address, which] : listeners_)
    if (!wanted.count(address))
      drain(system, *which);
  listeners_ = std::move(wanted);
  config_ = std::move(config);
  return caf::none;
}

} // namespace caf_app::http

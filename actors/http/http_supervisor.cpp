#include "actors/http/http_supervisor.hpp"

#include <sys/resource.h>

#include <algorithm>

#include <caf/send.hpp>

#include "actors/http/cache_actor.hpp"
#include "actors/http/file_limits.hpp"
#include "actors/http/listener_actor.hpp"
#include "actors/http/upstream_actor.hpp"
#include "actors/http/upstream_pool_handler.hpp"
#include "actors/http/worker_handler.hpp"

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

/// Open files may take a quarter of the descriptors.
file_cache_options cache_options(size_t loops) {
  file_cache_options result;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0)
    result.entries_max = std::clamp<size_t>(limit.rlim_cur / 4 / std::max<size_t>(loops, 1), 1,
                                            limits::http::open_files);
  return result;
}

} // namespace

/// Addresses to listen at, by what tells them apart: port 0 is another one each time it is written.
std::map<std::string, http_service::place> http_service::places_of(const http_config& config) {
  std::map<std::string, place> result;
  const auto add = [&](const host_port& where, bool tls) {
    const auto text = to_string(where) + (where.port == 0 && tls ? " tls" : "");
    for (size_t i = 1;
         !result.emplace(i == 1 ? text : text + " #" + std::to_string(i), place{where, tls}).second;
         ++i) {
    }
  };
  for (const auto& where : config.listen)
    add(where, false);
  for (const auto& where : config.listen_tls)
    add(where, true);
  return result;
}

http_service::http_service(http_service_options options)
    : options_(std::move(options)), counters_(std::make_shared<http_metrics>(*options_.books)),
      migrates_(options_.books->observe(
          "caf_http_tcp_migrate_req",
          "net.ipv4.tcp_migrate_req: 1 if a closing socket hands its queue to the others.",
          [] { return migrates_requests() ? 1.0 : 0.0; })),
      caches_(std::make_shared<cache_keeper>(*options_.books)), config_(options_.config) {}

caf::expected<std::shared_ptr<http_service>> http_service::make(http_service_options options) {
  std::shared_ptr<http_service> service{new http_service(std::move(options))};
  auto plans = service->make_plans(*service->config_);
  if (!plans)
    return std::move(plans.error());
  auto table = service->make_table(service->config_, *plans);
  if (!table)
    return std::move(table.error());
  service->plans_ = std::move(*plans);
  auto certificates = certificates::make(*service->config_, steady_now());
  if (!certificates)
    return std::move(certificates.error());
  service->certificates_ = std::move(*certificates);
  if (const auto& path = service->config_->access_log; !path.empty()) {
    auto log = access_log::open(path, service->counters_->log_dropped, service->options_.log);
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
    service->contexts_.back()->tls = service->certificates_->current();
    service->contexts_.back()->files = std::make_shared<file_cache>(cache_options(loops));
    service->contexts_.back()->rates = rate_books{loops};
    service->contexts_.back()->seed =
        static_cast<uint64_t>(wall_now().time_since_epoch().count()) + (uint64_t{i} << 48);
    service->contexts_.back()->workers = make_loop_workers(loop);
    service->contexts_.back()->upstreams =
        std::make_shared<upstream_pools>(loop, *service->contexts_.back(), service->plans_);
  }
  for (const auto& socket : service->options_.sockets)
    service->listeners_.emplace(to_string(socket->address()), service->adopt(socket));
  for (const auto& [key, where] : places_of(*service->config_)) {
    auto bound = service->bind(where, service->config_->backlog, service->options_.sharing);
    if (!bound)
      return std::move(bound.error());
    service->listeners_.emplace(key, std::move(*bound));
  }
  return service;
}

void http_service::listener::leave() const {
  for (const auto& state : states)
    state->has_to_leave = true;
}

bool http_service::listener::has_left() const {
  return std::all_of(states.begin(), states.end(),
                     [](const auto& state) { return state->left.load(); });
}

std::shared_ptr<http_service::listener> http_service::adopt(listen_socket_ptr socket) const {
  auto result = std::make_shared<listener>();
  result->address = socket->address();
  result->id = options_.node + ":" + last_part(result->address);
  result->states.push_back(std::make_shared<listener_place>());
  result->states.back()->socket = std::move(socket);
  return result;
}

bool http_service::is_taken(const std::string& id) const {
  return std::any_of(listeners_.begin(), listeners_.end(),
                     [&](const auto& entry) { return entry.second->id == id; }) ||
         std::any_of(retired_.begin(), retired_.end(), [&](const auto& x) { return x->id == id; });
}

bool http_service::is_being_left(const socket_address& address) const {
  return std::any_of(retired_.begin(), retired_.end(), [&](const auto& which) {
    return !which->has_left() && to_string(which->address) == to_string(address);
  });
}

caf::expected<std::shared_ptr<http_service::listener>>
http_service::bind(const place& at, int backlog, port_sharing sharing) const {
  auto address = parse_socket_address(to_string(at.where));
  if (!address)
    return std::move(address.error());
  if (is_being_left(*address))
    sharing = port_sharing::shared; // it comes back: with itself
  auto result = std::make_shared<listener>();
  const auto probes = std::make_shared<probe_book>();
  for (size_t i = 0; i < contexts_.size(); ++i) {
    auto socket = listen_tcp(*address, backlog, i == 0 ? sharing : port_sharing::shared);
    if (!socket)
      return std::move(socket.error());
    address = (*socket)->address(); // port 0: all loops share the one that the kernel chose
    result->states.push_back(std::make_shared<listener_place>());
    result->states.back()->socket = std::move(*socket);
    result->states.back()->tls = at.tls;
    result->states.back()->probes = probes;
  }
  result->address = *address;
  result->id = options_.node + ":" + last_part(*address);
  if (is_taken(result->id))
    result->id = options_.node + ":" + to_string(*address);
  for (size_t i = 2; is_taken(result->id); ++i)
    result->id = options_.node + ":" + to_string(*address) + "-" + std::to_string(i);
  show_queue(result);
  return result;
}

child_spec http_service::spec() {
  const std::lock_guard guard{mutex_};
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
  child_spec keys;
  keys.id = "certificates";
  keys.start = [keys = certificates_](const start_context& start) -> caf::expected<caf::actor> {
    return start.system.spawn(certificates_actor, keys);
  };
  children.push_back(std::move(keys));
  children.push_back(upstreams_spec());
  if (options_.purges)
    children.push_back(cache_spec());
  children.push_back(keeper_spec()); // the last one, so that it ends before what it uses
  return supervisor_child(options_.id, keeper_of(std::move(children)), timeout + stop_grace);
}

child_spec http_service::upstreams_spec() const {
  std::vector<child_spec> children;
  for (size_t i = 0; i < contexts_.size(); ++i) {
    child_spec child;
    child.id = "loop-" + std::to_string(options_.loops[i]->index());
    child.start = [loop = options_.loops[i], context = contexts_[i]](
                      const start_context& start) -> caf::expected<caf::actor> {
      return caf::actor_cast<caf::actor>(spawn_on<upstream_actor>(start.system, loop, context));
    };
    children.push_back(std::move(child));
  }
  return supervisor_child("upstreams", keeper_of(std::move(children)), stop_grace);
}

/// The supervisor of all listeners. A new incarnation starts those that exist then, after reloads.
child_spec http_service::keeper_spec() {
  child_spec keeper;
  keeper.id = "listener";
  keeper.kind = child_kind::supervisor;
  keeper.shutdown_timeout = config_->limits.drain_deadline;
  keeper.start = [self = shared_from_this()](const start_context& start) {
    const std::lock_guard guard{self->mutex_};
    self->retired_.clear();
    std::vector<child_spec> listeners;
    for (const auto& [address, which] : self->listeners_)
      listeners.push_back(self->listener_spec(which));
    return supervisor_child("listener", keeper_of(std::move(listeners)), {}).start(start);
  };
  return keeper;
}

child_spec http_service::listener_spec(const std::shared_ptr<listener>& which) const {
  auto options = keeper_of({});
  options.restart.shutdown_with = auto_shutdown::all_significant; // when all loops were drained
  for (size_t i = 0; i < which->states.size(); ++i) {
    child_spec child;
    child.id = "loop-" + std::to_string(options_.loops[i]->index());
    child.kind = child_kind::supervisor;
    child.restart = restart_type::transient; // it ends normally when it was drained
    child.significant = true;
    auto* loop = options_.loops[i];
    child.start = [loop, context = contexts_[i], state = which->states[i]](
                      const start_context& start) -> caf::expected<caf::actor> {
      supervisor_options options;
      options.path = start.path;
      options.tree = start.tree;
      options.log = start.log;
      options.adopted_shutdown_timeout = stop_grace;
      return spawn_on<listener_actor>(start.system, loop, std::move(options), context, state);
    };
    options.children.push_back(std::move(child));
  }
  return supervisor_child(which->id, std::move(options), 2 * stop_grace, restart_type::transient);
}

std::string http_service::keeper_path() const {
  return join_path(join_path(options_.parent, options_.id), "listener");
}

void http_service::drain() {
  const std::lock_guard guard{mutex_};
  draining_ = true;
  if (gate_)
    gate_->close();
  for (const auto& [address, which] : listeners_)
    which->leave();
}

bool http_service::drained() const {
  const std::lock_guard guard{mutex_};
  return std::all_of(listeners_.begin(), listeners_.end(),
                     [](const auto& entry) { return entry.second->has_left(); }) &&
         connections() == 0;
}

} // namespace caf_app::http

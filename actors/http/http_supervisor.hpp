// The web tier of a node: binds its addresses, builds the snapshots that connections work with, and
// describes its part of the supervision tree:
//
//   <id> -> listener -> <node>:<port> -> loop-<i> (listener_actor) -> conn-<n> (connection_actor)
//
// Reload is all or nothing: whatever can fail is done before the first loop sees the new snapshot.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/access_log_actor.hpp"
#include "actors/http/cache_handler.hpp"
#include "actors/http/certificates_actor.hpp"
#include "actors/http/leave_gate.hpp"
#include "actors/http/loop_context.hpp"
#include "actors/http/upstream_plan_handler.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/loop/listen_socket.hpp"
#include "caf_app/loop/reuseport_steer.hpp"
#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/supervisor.hpp"

namespace caf_app::http {

struct listener_place;

struct http_service_options {
  std::string id = "http";     ///< of its supervisor
  std::string parent = "root"; ///< path of the supervisor above
  std::string node;            ///< name of the node, part of the listeners' ids
  http_config_ptr config;
  std::vector<listen_socket_ptr> sockets; ///< bound already, beside those of the configuration
  std::vector<event_loop*> loops;         ///< at least one; the first `config->loops` are used
  std::shared_ptr<registry> names;
  std::shared_ptr<supervision_tree> tree;
  metrics_ptr books;
  logger_ptr log;
  std::vector<extra_route> extras; ///< beside the test hooks, which the configuration decides on
  port_sharing sharing = port_sharing::exclusive;
  bool purges = true; ///< takes part in the group of caches
};

enum class listener_kind : uint8_t { cleartext, tls };

/// What became of a retirement.
enum class retirement : uint8_t {
  left,    ///< the ports are left, connections may finish
  failed,  ///< connections would be lost: it serves on as before
  revoked, ///< it serves on as before
};

class http_service : public std::enable_shared_from_this<http_service> {
public:
  /// Binds all addresses. @returns errc::start_failed or errc::invalid_config
  static caf::expected<std::shared_ptr<http_service>> make(http_service_options options);

  /// The supervisor of the web tier.
  child_spec spec();

  /// Swaps sites, routes, limits and certificates; binds new addresses, drains those that left. Any
  /// thread but a loop's.
  /// @returns an error if the old configuration stays: errc::invalid_config or errc::start_failed
  caf::error reload(http_config_ptr config);

  /// Stops accepting and lets connections finish. Any thread.
  void drain();

  /// @returns whether all listeners have left their ports and no connection is open
  bool drained() const;

  // -- one of several processes at the same addresses (http_retire_supervisor.cpp) ----

  /// Leaves the ports so that no connection is lost: new ones are steered to the other processes,
  /// then the listeners go; connections finish. Blocks for some seconds: not on a loop.
  /// @param gate whoever revokes it in time makes everything as it was
  retirement retire(const std::shared_ptr<leave_gate>& gate);

  /// For `window`, all new connections come here. Blocks so long.
  void attract(std::chrono::milliseconds window);

  /// Lets about so many connections end with their next response.
  void nudge(size_t count);

  /// Removes what a process has left behind that died while it steered.
  void unsteer();

  /// So many processes divide the rates of the host among them.
  void share_rates(size_t processes);

  /// @returns connections that wait to be accepted, and how many may, of the fullest listener
  std::pair<uint64_t, uint64_t> accept_queue() const;

  /// What the upstreams of the current configuration are waited for, summed over the loops.
  std::vector<upstream_signal> upstreams() const;

  /// Carries out a purge of caches, as the group "http.cache" gets it. Any thread.
  /// @returns errc::invalid_argument if it is none
  caf::error purge(const std::string& json);

  /// Who else hears of purges that this process gets by the group; see cache_keeper.
  void pass_purges_on_to(std::function<void(const std::string& json)> to);

  /// @returns open connections
  size_t connections() const;

  /// The keys of its session tickets. Any thread.
  certificates& ticket_keys() noexcept { return *certificates_; }

  /// The bound addresses, as "127.0.0.1:8080".
  std::vector<std::string> addresses() const;

  /// Those of the configuration's `listen` or `listen_tls`.
  std::vector<std::string> addresses(listener_kind kind) const;

private:
  /// An address of the configuration.
  struct place {
    host_port where;
    bool tls;
  };

  struct listener {
    std::string id;
    socket_address address;
    std::vector<std::shared_ptr<listener_place>> states; // one per loop
    metrics::observer queue;

    std::vector<int> fds() const; // of those that have not left
    void leave() const;
    bool has_left() const;
  };

  explicit http_service(http_service_options options);

  using plan_list = std::vector<upstream_plan_ptr>;

  caf::expected<plan_list> make_plans(const http_config& config) const;
  caf::expected<site_table_ptr> make_table(http_config_ptr config, const plan_list& plans) const;
  caf::expected<std::unique_ptr<route_handler>>
  make_handler(const http_config& config, const plan_list& plans, const route_entry& entry) const;
  cache_service_ptr make_cache(const http_config& config) const;
  child_spec cache_spec() const;
  child_spec upstreams_spec() const;
  static std::map<std::string, place> places_of(const http_config& config);
  caf::expected<std::shared_ptr<listener>> bind(const place& at, int backlog,
                                                port_sharing sharing) const;
  void show_queue(const std::shared_ptr<listener>& which) const;
  std::shared_ptr<listener> adopt(listen_socket_ptr socket) const;
  child_spec listener_spec(const std::shared_ptr<listener>& which) const;
  child_spec keeper_spec();
  void forget_retired(const caf::actor& keeper);
  using listener_list = std::vector<std::shared_ptr<listener>>;

  listener_list tcp_listeners() const;
  static retirement steer_all(const listener_list& leaving, const leave_gate& gate,
                              std::vector<steer_lock>& locks);
  bool stay(const listener_list& leaving);
  bool is_taken(const std::string& id) const;
  bool is_being_left(const socket_address& address) const;
  std::string keeper_path() const;

  http_service_options options_;
  std::shared_ptr<const http_metrics> counters_;
  metrics::observer migrates_;             // net.ipv4.tcp_migrate_req
  std::shared_ptr<access_log> access_log_; // null: off
  std::shared_ptr<certificates> certificates_;
  std::shared_ptr<cache_keeper> caches_;
  std::vector<std::shared_ptr<loop_context>> contexts_; // one per loop

  mutable std::atomic<uint64_t> handlers_made_{0};
  mutable std::mutex mutex_; // guards what a reload changes
  http_config_ptr config_;
  bool draining_ = false;                                      // the node stops
  std::shared_ptr<leave_gate> gate_;                           // of the last retirement
  plan_list plans_;                                            // of the upstreams
  std::map<std::string, std::shared_ptr<listener>> listeners_; // by address
  std::vector<std::shared_ptr<listener>> retired_; // leave or have left; their ids are in use
};

} // namespace caf_app::http

// What the connections of one loop share. Touched on that loop only, so nothing here is locked: a
// reload replaces `table` by a job on the loop. Also lends out what an idle connection does not
// need: parsers and output buffers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "actors/http/fastcgi_script.hpp"
#include "actors/http/file_cache.hpp"
#include "actors/http/h1_request.hpp"
#include "actors/http/http_date.hpp"
#include "actors/http/http_metrics.hpp"
#include "actors/http/rate_books.hpp"
#include "actors/http/site_table.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app {

class tls_context;

} // namespace caf_app

namespace caf_app::http {

class upstream_pools;
struct access_record;

/// Takes finished lines of the access log off the loop.
class access_log_sink {
public:
  virtual ~access_log_sink() = default;
  virtual void write(std::string line) = 0;
};

/// What a connection speaks.
enum class client_protocol : uint8_t {
  unknown, ///< greeting or shaking hands
  h1,
  h2,
};

/// Runs what may block on workers, and what follows from it on the loop.
class worker_pool {
public:
  virtual ~worker_pool() = default;

  /// Never runs `done` before it returns. Neither function may throw.
  virtual void run(std::function<void()> work, std::function<void()> done) = 0;
};

/// A connection as its listener knows it.
class listener_client {
public:
  /// The current response, or the next one, is the last one.
  virtual void drain(nudge_cause why) = 0;

  /// @returns whether no request is open or partly received
  virtual bool idle() const = 0;

  virtual client_protocol protocol() const = 0;

protected:
  ~listener_client() = default;
};

/// What a listener of one loop shares with its connections.
struct listener_state {
  bool draining = false;   ///< every response announces the end of its connection
  bool keeps_idle = false; ///< while draining: idle connections end no earlier than otherwise
  std::unordered_set<listener_client*> clients;
  bool tls = false;                       ///< of connections that are accepted from now on
  std::function<void()> on_handshake_end; ///< there may be room for another one
};

/// One per loop; outlives its connections.
struct loop_context : std::enable_shared_from_this<loop_context> {
  /// @param loop number of the loop, so that exchange ids are unique within the node
  /// @param now the time of the loop's current pass; outlives this
  loop_context(site_table_ptr sites, std::shared_ptr<const http_metrics> counters, logger_ptr log,
               size_t loop, const steady::time_point& now)
      : table(std::move(sites)), counters(std::move(counters)), log(std::move(log)), now(now),
        last_exchange_id_(uint64_t{loop} << 48) {}

  site_table_ptr table;
  std::shared_ptr<const http_metrics> counters;
  logger_ptr log;
  std::shared_ptr<access_log_sink> access_log; ///< null: off
  std::shared_ptr<worker_pool> workers;        ///< null in tests that need none
  std::shared_ptr<file_cache> files = std::make_shared<file_cache>();
  std::shared_ptr<fastcgi_script_cache> scripts = std::make_shared<fastcgi_script_cache>();
  std::shared_ptr<upstream_pools> upstreams; ///< null in tests that need none

  std::atomic<size_t> connections{0}; ///< open ones of this loop; written on the loop only
  rate_books rates;                   ///< limits of routes
  bool overloaded = false; ///< the loop lags: work that others do for it is refused early
  std::unordered_map<std::string, size_t> per_address; ///< kept if max_per_ip is set

  std::shared_ptr<tls_context> tls; ///< of new handshakes; null: no certificate
  size_t handshakes = 0;            ///< that run on this loop

  const steady::time_point& now;
  std::string plaintext;    ///< scratch: what a pass of TLS has decrypted
  std::string output;       ///< scratch: empty between two callbacks
  std::string key_scratch;  ///< for the length of a look-up
  std::string path_scratch; ///< backs normalised paths during a callback

  /// For ids of requests; differs from loop to loop and from start to start.
  uint64_t seed = 0;

  uint64_t next_exchange_id() noexcept { return ++last_exchange_id_; }

  /// connection_max_age +-10 % by number, so that connections opened together do not end together.
  steady::duration spread_age() noexcept;

  /// The Date field for `now`; rendered once per second.
  std::string_view date();

  /// The seconds since 1970 that date() says.
  int64_t date_seconds() {
    date();
    return date_seconds_;
  }

  /// Writes the line of a request whose response is done. @pre access_log
  /// @param record all but time, duration, site and route
  /// @param route null: none was found
  void log_request(access_record record, const route_entry* route, steady::time_point began) const;

  /// A parser that is reset; give it back when the connection becomes idle.
  std::unique_ptr<h1_request_parser> take_parser();
  void give_parser(std::unique_ptr<h1_request_parser> parser);

private:
  uint64_t last_exchange_id_;
  http_date date_{};
  int64_t date_seconds_ = 0;
  steady::time_point date_until_{};
  std::vector<std::unique_ptr<h1_request_parser>> parsers_;
};

} // namespace caf_app::http

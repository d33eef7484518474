// The counters of one upstream, registered once per node and shared by its loops.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "caf_app/base/metrics.hpp"

namespace caf_app::http {

/// What became of a try at a server.
enum class upstream_outcome : uint8_t {
  ok,           ///< a whole response, whatever its status
  refused,      ///< no connection
  timeout,      ///< connecting, or no response in time
  failed,       ///< the connection died before the response was whole
  bad_response, ///< what came is no response
  aborted,      ///< the client went away first
  unavailable,  ///< no server, no room, no time to wait for it: nobody was asked
};

constexpr size_t upstream_outcome_count = static_cast<size_t>(upstream_outcome::unavailable) + 1;

std::string_view to_string(upstream_outcome outcome) noexcept;

/// What an upstream is waited for at this moment: for the scaler.
struct upstream_signal {
  std::string name;
  uint64_t queue = 0;                   ///< requests that wait for room at a server
  uint64_t again = 0;                   ///< connects that met a full backlog, so far
  std::optional<uint64_t> idle_workers; ///< of PHP-FPM, if its status is known
};

/// What PHP-FPM says of itself, summed over the servers of an upstream; -1: not known.
struct fpm_metrics {
  fpm_metrics(metrics& registry, const std::string& upstream);

  gauge& idle;
  gauge& active;
  gauge& queue;
};

/// The families caf_http_upstream_*. Any thread.
struct upstream_metrics {
  upstream_metrics(metrics& registry, const std::string& upstream);

  void ended(upstream_outcome how) const { results[static_cast<size_t>(how)]->add(); }

  std::array<counter*, upstream_outcome_count> results{};
  histogram& queue_seconds; ///< only of requests that had to wait
  histogram& connect_seconds;
  histogram& first_byte_seconds;
  gauge& active;            ///< connections with a request
  gauge& idle;              ///< connections without
  gauge& waiting;           ///< requests
  counter& retries_connect; ///< at another server, because one was not reached
  counter& retries_stale;   ///< on a fresh connection, because a kept one had died
  counter& backlog_full;    ///< connects that met a full backlog
};

} // namespace caf_app::http

// What of a node's metrics tells how its web tier does: a few sums out of the text of /metrics, and
// the share of requests that were faster than something between two of them. Requests of the admin
// interface itself do not count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace caf_app {

/// Sums over sites and routes since the node began.
struct web_digest {
  uint64_t requests = 0;             ///< finished
  uint64_t failed = 0;               ///< answered with 5xx
  int64_t in_flight = 0;             ///< now
  std::map<double, uint64_t> faster; ///< requests per upper bound in seconds, cumulative
};

/// @param exposition text of /metrics; lines that are none are passed over
web_digest digest_metrics(std::string_view exposition);

/// The time in seconds that `share` of the requests between the two did not exceed, interpolated
/// within its bucket as Prometheus does (histogram_quantile); beyond the last bound that bound.
/// @param share of 0 .. 1
/// @returns nothing if there was no request in between
std::optional<double> quantile(const web_digest& before, const web_digest& after, double share);

/// The digest as an object: requests, failed, in_flight, faster as pairs [bound, count], at_ms.
std::string to_json(const web_digest& digest, int64_t at_ms);

} // namespace caf_app

// What links and the cluster count, for /metrics and tests. One set per node.
#pragma once

#include "caf_app/base/metrics.hpp"

namespace caf_app {

/// Any thread.
struct cluster_counters {
  counter messages_sent;     ///< messages that left, publications included
  counter messages_received; ///< delivered to an actor or a group
  counter sends_dropped;     ///< plain messages that could not leave: no link, congestion, too long
  counter refused_messages;  ///< arrived for nobody, or are not allowed
  counter malformed;         ///< arrived, could not be read
  counter late_replies;      ///< replies that nobody waited for any more
  counter links_up;          ///< established so far
  counter links_lost;        ///< ended so far
  counter links_refused;     ///< handshakes that failed, on either side
  counter congested;         ///< requests refused because too much waits
};

} // namespace caf_app

// A simulated node: the pure parts of a real one, and actors that are mere numbers.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "caf_app/cluster/cluster_core.hpp"
#include "caf_app/cluster/reconnect_backoff.hpp"
#include "caf_app/cluster/watch_ledger.hpp"
#include "sim_network.hpp"

namespace sim {

struct dial_state {
  caf_app::reconnect_backoff backoff;
  time_point next;
  bool dialling = false;
};

struct node {
  size_t index = 0;
  std::string name;
  bool alive = false;
  bool frozen = false;
  uint64_t boots = 0;                 ///< how often its process has started
  std::chrono::nanoseconds offset{0}; ///< of its clock
  caf_app::member_record record;
  std::unique_ptr<caf_app::cluster_core> core;
  caf_app::watch_ledger watches;
  std::map<size_t, link_ptr> links; ///< by index of the peer
  std::map<size_t, dial_state> dials;
  std::set<uint64_t> actors;              ///< alive
  std::map<std::string, uint64_t> wanted; ///< by name: actors that wait for an answer
  std::set<std::pair<std::string, uint64_t>> groups;
  bool rejoin = false; ///< was declared down

  time_point local(time_point now) const {
    return now + std::chrono::duration_cast<time_point::duration>(offset);
  }
  bool runs() const { return alive && !frozen; }
};

} // namespace sim

// Connections between simulated nodes: in order, never losing a byte while they last, slow, cut in
// one or both directions, or broken. What is sent into a cut arrives when the cut heals, as with
// TCP, unless somebody closes the connection before.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "caf_app/cluster/incarnation.hpp"
#include "caf_app/cluster/link_frame.hpp"

namespace sim {

using time_point = std::chrono::steady_clock::time_point;
using duration = std::chrono::milliseconds;

struct packet {
  time_point due;
  bool end = false; ///< the sender has closed
  caf_app::frame_kind kind{};
  std::string body;
};

/// One end of a connection, with what is under way to it.
struct link_end {
  size_t node = 0; ///< index
  caf_app::member_id id;
  bool open = true;
  bool scheduled = false; ///< a delivery is due
  std::deque<packet> inbox;
};

struct link {
  link_end ends[2];

  link_end& end_of(size_t node) { return ends[0].node == node ? ends[0] : ends[1]; }
  link_end& other_end(size_t node) { return ends[0].node == node ? ends[1] : ends[0]; }
};

using link_ptr = std::shared_ptr<link>;

/// Which directions are cut.
class cuts {
public:
  void cut(size_t from, size_t to) { cut_.insert({from, to}); }
  void heal() { cut_.clear(); }
  bool blocked(size_t from, size_t to) const { return cut_.count({from, to}) != 0; }
  bool severed(size_t a, size_t b) const { return blocked(a, b) || blocked(b, a); }

private:
  std::set<std::pair<size_t, size_t>> cut_;
};

} // namespace sim

// What the nodes of a cluster tell each other about a node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <caf/meta/type_name.hpp>

#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// A life of a node goes through these from left to right and never back; it may skip some.
enum class member_state : uint8_t {
  joining = 1, ///< linked, not counted in yet
  up,          ///< has a place in the order of members, may hold cluster names
  leaving,     ///< announced; no longer coordinates
  left,        ///< announced, and gone
  down,        ///< found dead or out of reach; never comes back as the same incarnation
};

/// The name of the enumerator, as `caf-ctl nodes` shows it.
std::string to_string(member_state state);

/// What all nodes know of one life of a node.
struct member_record {
  member_id id;
  member_state state = member_state::joining;
  uint64_t order = 0;  ///< place among all that were ever up or have ended, from 1; 0: neither
  std::string address; ///< where it listens for links: "host:port"
  std::vector<std::string> roles;
  std::string caf_node; ///< CAF's node id as text

  bool operator==(const member_record&) const = default;

  /// Whether this life is over.
  bool gone() const noexcept { return state >= member_state::left; }
};

/// Whether `a` joined before `b`; both have been up.
bool older(const member_record& a, const member_record& b);

/// The body of a gossip frame.
struct gossip_body {
  std::vector<member_record> members;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, member_record& x) {
  return f(caf::meta::type_name("member_record"), x.id, x.state, x.order, x.address, x.roles,
           x.caf_node);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, gossip_body& x) {
  return f(x.members);
}

} // namespace caf_app

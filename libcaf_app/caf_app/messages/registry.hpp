// What the primitives tell their users: the end of a watched actor, changes of names and groups,
// and the lists that tools show. The control plane of the registry answers the queries below.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include <caf/actor.hpp>
#include <caf/error.hpp>
#include <caf/meta/type_name.hpp>

namespace caf_app {

/// The watched actor ended. Exactly one per watch.
struct down {
  uint64_t ref = 0;  ///< what watch() returned
  caf::error reason; ///< noproc: it was dead before; link_lost: its node is out of reach
};

/// Why a name_event or group_event was sent.
enum class registry_change : uint8_t {
  present, ///< part of the snapshot that opens a subscription
  synced,  ///< the snapshot is complete; the event names nobody
  added,   ///< a name was registered, a member joined
  removed, ///< a name was freed, a member left or ended
  changed, ///< a cluster name has another holder
};

/// The name of the enumerator.
std::string to_string(registry_change);

/// To subscribers of names. Plain message, no reply.
struct name_event {
  std::string name;  ///< empty when synced
  caf::actor holder; ///< null when synced
  registry_change change = registry_change::added;
};

/// To subscribers of groups. Plain message, no reply.
struct group_event {
  std::string group; ///< empty when synced
  caf::actor member; ///< null when synced
  registry_change change = registry_change::added;
};

/// To the holder of a cluster name: it is another's now, or nobody's. Plain message, no reply.
struct name_lost {
  std::string name;
  std::string winner; ///< name of the node whose actor holds it; empty: nobody that is known
  caf::error why;     ///< name_taken, no_quorum or conflict
};

/// Asks the actor that runs the cluster for a cluster name. Answered with nothing once it is
/// granted and found on this node; name_taken, no_quorum, noproc or invalid_argument otherwise.
struct claim_name {
  std::string name;
  caf::actor holder; ///< of this node
};

/// Gives a cluster name of this node back. No reply.
struct release_name {
  std::string name;
};

/// Leads a request that may come twice: an actor with asking<> does its work once, and answers
/// both.
struct request_key {
  uint64_t asker = 0; ///< of the actor that asks, and of its node
  uint64_t number = 0;
  uint32_t deadline_ms = 0; ///< it is not repeated after that

  auto operator<=>(const request_key&) const = default;
};

/// One line of a list of names.
struct name_info {
  std::string name;
  uint64_t holder = 0;  ///< actor id
  uint64_t held_ms = 0; ///< since the name was registered, as far as this node knows
  std::string node{};   ///< of the holder; empty: the name is known on this node only
  uint64_t epoch = 0;   ///< of the grant; 0: the name is known on this node only
};

/// Members of a group on another node.
struct group_part {
  std::string node;
  std::vector<uint64_t> members; ///< actor ids, ascending
};

/// One line of a list of groups.
struct group_info {
  std::string group;
  std::vector<uint64_t> members;    ///< of this node: actor ids, ascending
  std::vector<group_part> remote{}; ///< of other nodes, by name
};

/// Whom a publication was sent to.
struct publish_count {
  size_t local = 0;        ///< members on this node
  size_t remote_nodes = 0; ///< nodes with members; each got one frame

  bool operator==(const publish_count&) const = default;
  bool operator==(size_t members) const { return local == members && remote_nodes == 0; }
};

/// Asks the registry_actor for names that begin with `prefix`. Answered with name_list.
struct names_query {
  std::string prefix;
};

/// Sorted by name.
struct name_list {
  std::vector<name_info> names;
};

/// Asks the registry_actor for groups that begin with `prefix`. Answered with group_list.
struct groups_query {
  std::string prefix;
};

/// Sorted by group.
struct group_list {
  std::vector<group_info> groups;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, down& x) {
  return f(caf::meta::type_name("down"), x.ref, x.reason);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, name_event& x) {
  return f(caf::meta::type_name("name_event"), x.name, x.holder, x.change);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_event& x) {
  return f(caf::meta::type_name("group_event"), x.group, x.member, x.change);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, name_lost& x) {
  return f(caf::meta::type_name("name_lost"), x.name, x.winner, x.why);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, claim_name& x) {
  return f(caf::meta::type_name("claim_name"), x.name, x.holder);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, release_name& x) {
  return f(caf::meta::type_name("release_name"), x.name);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, request_key& x) {
  return f(caf::meta::type_name("request_key"), x.asker, x.number, x.deadline_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_part& x) {
  return f(caf::meta::type_name("group_part"), x.node, x.members);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, publish_count& x) {
  return f(caf::meta::type_name("publish_count"), x.local, x.remote_nodes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, name_info& x) {
  return f(caf::meta::type_name("name_info"), x.name, x.holder, x.held_ms, x.node, x.epoch);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_info& x) {
  return f(caf::meta::type_name("group_info"), x.group, x.members, x.remote);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, names_query& x) {
  return f(caf::meta::type_name("names_query"), x.prefix);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, name_list& x) {
  return f(caf::meta::type_name("name_list"), x.names);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, groups_query& x) {
  return f(caf::meta::type_name("groups_query"), x.prefix);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, group_list& x) {
  return f(caf::meta::type_name("group_list"), x.groups);
}

} // namespace caf_app

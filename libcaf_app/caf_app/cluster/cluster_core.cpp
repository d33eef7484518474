#include "caf_app/cluster/cluster_core.hpp"

#include "caf_app/cluster/body_codec.hpp"

namespace caf_app {

cluster_core::cluster_core(const options& opts, clock::time_point now)
    : members_(opts.members, now), names_({opts.members.own.id, opts.stable_after}, now),
      coordinator_({.lease = opts.members.lease}), groups_(opts.members.own.id) {}

template <class Body>
void cluster_core::send(const member_id& to, frame_kind kind, const Body& body) {
  effects_.frames.push_back({to, kind, body_bytes(body)});
}

// -- links --------------------------------------------------------------------------------

void cluster_core::link_up(const member_record& peer, clock::time_point now) {
  members_.link_up(peer, now);
  if (members_.linked_to(peer.id)) {
    coordinator_.link_up(peer.id);
    groups_.link_up(peer.id);
  }
  settle(now);
}

void cluster_core::link_down(const member_id& peer, clock::time_point now) {
  groups_.link_down(peer);
  members_.link_down(peer, now);
  settle(now);
}

void cluster_core::told_down(clock::time_point now) {
  members_.told_down(now);
  settle(now);
}

bool cluster_core::on_frame(const member_id& from, frame_kind kind, std::string_view body,
                            clock::time_point now) {
  if (kind == frame_kind::heartbeat) {
    const auto beat = read_body<heartbeat_body>(body);
    if (!beat)
      return false;
    members_.on_heartbeat(from, *beat, now);
  } else if (kind == frame_kind::gossip) {
    const auto gossip = read_body<gossip_body>(body);
    if (!gossip)
      return false;
    members_.on_gossip(from, *gossip, now);
  } else if (kind == frame_kind::names) {
    const auto names = read_body<names_body>(body);
    if (!names)
      return false;
    coordinator_.on_names(from, *names, members_, now);
    names_.on_names(from, *names, members_, now);
  } else if (kind == frame_kind::groups) {
    const auto groups = read_body<groups_body>(body);
    if (!groups)
      return false;
    groups_.on_groups(from, *groups);
  }
  settle(now);
  return true;
}

// -- actors ---------------------------------------------------------------------------------

void cluster_core::want_name(const std::string& name, uint64_t actor, clock::time_point now) {
  names_.want(name, actor, members_, now);
  settle(now);
}

void cluster_core::release_name(const std::string& name, uint64_t actor, clock::time_point now) {
  names_.release(name, actor);
  settle(now);
}

void cluster_core::join_group(const std::string& group, uint64_t actor) {
  groups_.join(group, actor);
}

void cluster_core::leave_group(const std::string& group, uint64_t actor) {
  groups_.leave(group, actor);
}

void cluster_core::actor_ended(uint64_t actor, const std::vector<std::string>& held,
                               clock::time_point now) {
  for (const auto& name : held)
    names_.release(name, actor);
  groups_.forget(actor);
  settle(now);
}

// -- time -----------------------------------------------------------------------------------

void cluster_core::tick(clock::time_point now) {
  members_.tick(now);
  settle(now);
}

void cluster_core::leave(clock::time_point now) {
  for (const auto& entry : names_.held())
    names_.release(entry.name, entry.actor);
  settle(now);
  members_.leave(now);
  settle(now);
}

void cluster_core::left(clock::time_point now) {
  members_.left(now);
  settle(now);
}

void cluster_core::settle(clock::time_point now) {
  do {
    collect_members();
    coordinator_.step(members_, now);
    names_.step(members_, now);
  } while (pass_names(now));
}

void cluster_core::collect_members() {
  auto from = members_.take_effects();
  for (const auto& [to, body] : from.gossip)
    send(to, frame_kind::gossip, body);
  for (const auto& [to, body] : from.heartbeats)
    send(to, frame_kind::heartbeat, body);
  for (auto& id : from.cut)
    effects_.cut.push_back(std::move(id));
  for (auto& event : from.events) {
    if (event.change == member_change::lost)
      groups_.lost(event.member);
    effects_.members.push_back(std::move(event));
  }
}

// Bodies between the two sides of names on this node do not leave it.
bool cluster_core::pass_names(clock::time_point now) {
  bool passed = false;
  for (auto& [to, body] : coordinator_.take_messages()) {
    if (to == members_.own()) {
      names_.on_names(to, body, members_, now);
      passed = true;
    } else {
      send(to, frame_kind::names, body);
    }
  }
  auto from = names_.take_effects();
  for (const auto& [to, body] : from.messages) {
    if (to == members_.own()) {
      coordinator_.on_names(to, body, members_, now);
      passed = true;
    } else {
      send(to, frame_kind::names, body);
    }
  }
  for (auto& outcome : from.outcomes)
    effects_.names.push_back(std::move(outcome));
  for (auto& change : from.changes)
    effects_.replica.push_back(std::move(change));
  return passed;
}

cluster_effects cluster_core::take_effects() {
  for (const auto& [to, body] : groups_.take_messages())
    send(to, frame_kind::groups, body);
  for (auto& change : groups_.take_changes())
    effects_.groups.push_back(std::move(change));
  return std::exchange(effects_, {});
}

} // namespace caf_app

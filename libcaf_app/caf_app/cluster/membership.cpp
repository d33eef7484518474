#include "caf_app/cluster/membership.hpp"

#include <set>

namespace caf_app {

std::string to_string(member_change change) {
  switch (change) {
    case member_change::joined: return "joined";
    case member_change::up: return "up";
    case member_change::suspect: return "suspect";
    case member_change::reachable: return "reachable";
    case member_change::lost: return "lost";
    case member_change::leaving: return "leaving";
    case member_change::left: return "left";
    case member_change::down: return "down";
    case member_change::declared_down: return "declared down";
  }
  return "unknown";
}

membership::membership(options opts, clock::time_point now)
    : opts_(std::move(opts)), lease_({opts_.mode, opts_.voters, opts_.own.id, opts_.lease}),
      // What a former life of this node has supported is unknown, and counts for a lease.
      locked_until_(opts_.mode == quorum_mode::none ? now : now + opts_.lease), next_beat_(now) {
  opts_.own.state = member_state::joining;
  opts_.own.order = 0;
  table_.merge(opts_.own);
}

// -- links ------------------------------------------------------------------------

refused_body membership::admit(const member_id& peer, clock::time_point now) {
  if (ended_ || own_record().state >= member_state::leaving)
    return {refusal::leaving, to_string(own())};
  if (const auto* known = table_.find(peer); known != nullptr && known->gone())
    return {refusal::declared_down, to_string(peer) + " is " + to_string(known->state)};
  for (auto& [id, other] : peers_)
    if (id.name == peer.name && id != peer && other.health.linked() &&
        other.health.check(now) == peer_verdict::reachable)
      return {refusal::name_in_use, to_string(id) + " lives"};
  return {};
}

void membership::link_up(const member_record& record, clock::time_point now) {
  learn(record, now);
  const auto* known = table_.find(record.id);
  if (known == nullptr || known->gone()) {
    effects_.cut.push_back(record.id);
    return;
  }
  auto& peer = peer_of(record.id, now);
  peer.health.link_up(now);
  peer.heard = 0;
  peer.knows_version = 0;
  // A node has one life at a time. Its process has just proved which one: nothing waits for
  // another.
  for (auto& [id, other] : peers_)
    if (id.name == record.id.name && id != record.id)
      other.health.give_up();
  // Others hear of a newcomer before a message of it can come to them in any way.
  if (spread_version_ == table_.version())
    effects_.gossip.emplace_back(record.id, gossip_body{table_.all()});
  else
    spread();
  check_peers(now);
  next_beat_ = now;
}

void membership::link_down(const member_id& id, clock::time_point now) {
  const auto i = peers_.find(id);
  if (i == peers_.end())
    return;
  i->second.health.link_down(now);
  i->second.heard = 0;
  check_peers(now);
}

void membership::on_heartbeat(const member_id& from, const heartbeat_body& beat,
                              clock::time_point now) {
  const auto i = peers_.find(from);
  if (i == peers_.end() || !i->second.health.linked())
    return;
  auto& peer = i->second;
  peer.health.heartbeat(now);
  peer.heard = beat.sequence;
  if (beat.acknowledged != 0)
    lease_.acknowledged(from, beat.acknowledged, beat.supports);
  if (beat.members_digest == table_.digest())
    peer.knows_version = table_.version();
  else
    effects_.gossip.emplace_back(from, gossip_body{table_.all()});
  check_peers(now);
  choose(now);
}

void membership::on_gossip(const member_id&, const gossip_body& gossip, clock::time_point now) {
  for (const auto& record : gossip.members)
    learn(record, now);
  spread();
}

void membership::told_down(clock::time_point now) {
  if (!ended_)
    write(own(), member_state::down, 0, now);
}

void membership::leave(clock::time_point now) {
  if (!ended_ && own_record().state < member_state::leaving)
    write(own(), member_state::leaving, 0, now);
  supports_ = {};
  spread();
}

void membership::left(clock::time_point now) {
  leave(now);
  if (!ended_)
    write(own(), member_state::left, 0, now);
  spread();
  ended_ = true;
}

void membership::tick(clock::time_point now) {
  if (ended_)
    return;
  if (!quorate(now))
    alone_at_ = now;
  check_peers(now);
  if (mode() == quorum_mode::none && lease_.is_voter(own().name)) // clients only listen
    for (const auto& id : linked())
      end_former_lives(id, now);
  choose(now);
  if (active(now))
    coordinate(now);
  spread();
  if (now >= next_beat_)
    beat(now);
}

// -- peers ------------------------------------------------------------------------

void membership::check_peers(clock::time_point now) {
  for (auto& [id, peer] : peers_) {
    const auto verdict = peer.health.check(now);
    if (verdict == peer.verdict)
      continue;
    peer.verdict = verdict;
    peer.lost_alone = verdict == peer_verdict::lost && !quorate(now);
    switch (verdict) {
      case peer_verdict::reachable:
        effects_.events.push_back({id, member_change::reachable});
        break;
      case peer_verdict::suspect: effects_.events.push_back({id, member_change::suspect}); break;
      case peer_verdict::lost:
        effects_.events.push_back({id, member_change::lost});
        if (peer.health.linked())
          effects_.cut.push_back(id);
        break;
    }
  }
}

std::vector<member_id> membership::linked() const {
  std::vector<member_id> list;
  for (const auto& [id, peer] : peers_)
    if (peer.health.linked())
      list.push_back(id);
  return list;
}

bool membership::linked_to(const member_id& id) const {
  const auto i = peers_.find(id);
  return i != peers_.end() && i->second.health.linked();
}

bool membership::lost(const member_id& id) const {
  const auto i = peers_.find(id);
  return id != own() && (i == peers_.end() || i->second.verdict == peer_verdict::lost);
}

bool membership::suspected(const member_id& id) const {
  const auto i = peers_.find(id);
  return i != peers_.end() && i->second.verdict == peer_verdict::suspect;
}

bool membership::known_by_majority(uint64_t version) const {
  if (mode() == quorum_mode::none)
    return true;
  std::set<std::string> names;
  if (lease_.is_voter(own().name))
    names.insert(own().name);
  for (const auto& [id, peer] : peers_)
    if (lease_.is_voter(id.name) && peer.health.linked() && peer.knows_version >= version)
      names.insert(id.name);
  return names.size() >= lease_.majority();
}

// -- heartbeats ---------------------------------------------------------------------

void membership::beat(clock::time_point now) {
  next_beat_ = now + opts_.heartbeat;
  lease_.sent(++sequence_, now);
  // Support counts with whom it is given to, and nowhere else. A suspect gets none, so that the
  // way is free for the next one when it is lost.
  const auto coordinator = peers_.find(supports_);
  const bool reachable = coordinator != peers_.end() && coordinator->second.health.linked() &&
                         coordinator->second.verdict == peer_verdict::reachable;
  const auto supported = reachable || supports_ == own() ? supports_ : member_id{};
  if (reachable)
    locked_until_ = now + opts_.lease;
  for (const auto& [id, peer] : peers_)
    if (peer.health.linked())
      effects_.heartbeats.emplace_back(
          id, heartbeat_body{sequence_, peer.heard, table_.digest(), supported});
}

} // namespace caf_app

// The part of membership that learns of lives and their states, and spreads what it knows.
#include "caf_app/cluster/membership.hpp"

#include <algorithm>

#include "caf_app/base/assert.hpp"

namespace caf_app {

membership::peer& membership::peer_of(const member_id& id, clock::time_point now) {
  return peers_.try_emplace(id, peer{peer_health{opts_.health, now}}).first->second;
}

void membership::learn(const member_record& record, clock::time_point now) {
  const auto* known = table_.find(record.id);
  const auto before = known != nullptr ? known->state : member_state{};
  if ((known == nullptr && outlived(record)) || !table_.merge(record))
    return;
  known = table_.find(record.id);
  if (known == nullptr) { // over, and too old to be remembered
    if (before != member_state{} && before < member_state::left)
      on_state(record);
    return;
  }
  if (known->state == before)
    return;
  if (record.id != own() && !known->gone())
    peer_of(record.id, now);
  if (before == member_state{} && !known->gone())
    effects_.events.push_back({record.id, member_change::joined});
  if (known->state != member_state::joining)
    on_state(*known);
}

// Whoever was cut off while a node began and ended many lives holds for alive what all others have
// forgotten. They must not hear of it as of a newcomer, again and again: it is over.
bool membership::outlived(const member_record& record) const {
  if (record.gone() || !table_.forgets(record.id.name))
    return false;
  if (record.id.name == own().name)
    return record.id != own();
  return std::any_of(peers_.begin(), peers_.end(), [&](const auto& x) {
    return x.first.name == record.id.name && x.second.health.linked() &&
           x.second.verdict == peer_verdict::reachable;
  });
}

void membership::on_state(const member_record& record) {
  static constexpr member_change changes[] = {member_change::joined, member_change::up,
                                              member_change::leaving, member_change::left,
                                              member_change::down};
  effects_.events.push_back({record.id, changes[static_cast<size_t>(record.state) - 1]});
  if (!record.gone())
    return;
  if (record.id == own()) {
    if (record.state == member_state::down && !ended_)
      effects_.events.push_back({record.id, member_change::declared_down});
    ended_ = true;
    opts_.own.state = record.state;
    supports_ = {};
    return;
  }
  const auto i = peers_.find(record.id);
  if (i == peers_.end())
    return;
  // It has to hear that it is down before the link goes: the last gossip on it.
  if (i->second.health.linked()) {
    effects_.gossip.emplace_back(record.id, gossip_body{table_.all()});
    effects_.cut.push_back(record.id);
  }
  if (i->second.verdict != peer_verdict::lost)
    effects_.events.push_back({record.id, member_change::lost});
  lease_.forget(record.id);
  peers_.erase(i);
}

void membership::write(const member_id& id, member_state state, uint64_t order,
                       clock::time_point now) {
  const auto* known = table_.find(id);
  CAF_APP_ASSERT(known != nullptr);
  auto record = *known;
  record.state = state;
  // A life that ends before it was up is one of the youngest dead then. Without a place in the
  // order it would be forgotten at once, before anybody else hears of its end, and come back from
  // them.
  if (record.order == 0)
    record.order = record.gone() ? table_.order_max() + 1 : order;
  learn(record, now);
}

void membership::spread() {
  if (spread_version_ == table_.version())
    return;
  spread_version_ = table_.version();
  for (const auto& id : linked())
    effects_.gossip.emplace_back(id, gossip_body{table_.all()});
}

// The table forgets the oldest lives that are over, and the own one may be such a life.
const member_record& membership::own_record() const {
  const auto* known = table_.find(own());
  return known != nullptr ? *known : opts_.own;
}

} // namespace caf_app

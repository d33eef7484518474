// The part of membership that chooses a coordinator, and what this node does when it is the one.
#include "caf_app/cluster/membership.hpp"

#include <utility>

namespace caf_app {

namespace {

/// A dial that nobody answered, a backoff, another dial.
constexpr auto reconnect_time_max = limits::cluster::connect_timeout + limits::cluster::backoff_max;

} // namespace

member_id membership::preferred(clock::time_point now) const {
  if (own_record().state >= member_state::leaving)
    return {};
  if (mode() == quorum_mode::majority && lease_.supported(now, true) && lease_.is_voter(own().name))
    return own();
  for (const auto* record : table_.up_by_age())
    if (!lost(record->id))
      return record->id;
  // Nobody is up, or nobody can be reached: the first voter by name begins.
  member_id first;
  for (const auto& [id, record] : table_.records()) {
    const bool here = id == own() || linked_to(id);
    const bool may = mode() == quorum_mode::none || lease_.is_voter(id.name);
    if (here && may && record.state == member_state::joining && !lost(id) && first.name.empty())
      first = id;
  }
  return first;
}

void membership::choose(clock::time_point now) {
  if (ended_)
    return;
  const auto wanted = preferred(now);
  if (wanted == supports_)
    return;
  // Who has announced that it leaves counts on nobody's support any more.
  const auto* before = table_.find(supports_);
  if (before != nullptr &&
      (before->state == member_state::leaving || before->state == member_state::left))
    locked_until_ = now;
  const auto old = std::exchange(supports_, {});
  if (now >= locked_until_ || mode() == quorum_mode::none)
    supports_ = wanted;
  if (supports_ != old)
    next_beat_ = now;
}

bool membership::active(clock::time_point now) const {
  return !ended_ && supports_ == own() && lease_.supported(now, true);
}

void membership::coordinate(clock::time_point now) {
  const auto records = table_.all(); // a copy: promotions change the table
  const auto own_order = own_record().order;
  for (const auto& record : records) {
    if (record.id == own() || record.gone())
      continue;
    const bool usurped =
        record.state == member_state::up && (own_order == 0 || older(record, own_record()));
    if (mode() == quorum_mode::majority && (certainly_lost(record.id, now) || usurped))
      write(record.id, member_state::down, 0, now);
  }
  if (own_record().state == member_state::joining)
    write(own(), member_state::up, table_.order_max() + 1, now);
  for (const auto& record : records)
    if (record.id == own() || linked_to(record.id))
      promote(record.id, now);
}

// Who was cut off itself and is back with a majority does not know yet who else is back: others
// dial again after their backoff.
bool membership::certainly_lost(const member_id& id, clock::time_point now) const {
  const auto i = peers_.find(id);
  const bool doubtful =
      i != peers_.end() && i->second.lost_alone && now - alone_at_ < reconnect_time_max;
  return lost(id) && !doubtful;
}

// A node has one life at a time: the one that is linked. A second process with the name of a living
// node has to wait: then false.
bool membership::end_former_lives(const member_id& id, clock::time_point now) {
  for (const auto& other : table_.all()) {
    if (other.id.name != id.name || other.id == id || other.gone())
      continue;
    const auto i = peers_.find(other.id);
    if (i != peers_.end() && i->second.verdict == peer_verdict::reachable)
      return false;
    write(other.id, member_state::down, 0, now);
  }
  return true;
}

void membership::promote(const member_id& id, clock::time_point now) {
  if (lost(id) || !end_former_lives(id, now))
    return;
  const auto* known = table_.find(id);
  if (known != nullptr && known->state == member_state::joining)
    write(id, member_state::up, table_.order_max() + 1, now);
}

} // namespace caf_app

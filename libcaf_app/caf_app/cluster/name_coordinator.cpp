#include "caf_app/cluster/name_coordinator.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace caf_app {

namespace {

bool wins(const name_entry& a, const name_entry& b) {
  return std::tie(a.epoch, a.holder, a.actor) > std::tie(b.epoch, b.holder, b.actor);
}

} // namespace

// -- terms ----------------------------------------------------------------------------

void name_coordinator::step(const membership& members, clock::time_point now) {
  const bool active = members.active(now);
  if (active && !active_)
    begin_term(members, now);
  else if (!active && active_)
    end_term();
  check_gone(members, now);
  if (!active_)
    return;
  ask_for_claims(members, now);
  if (!granting_ && all_known(members, now))
    begin_granting(members);
  if (granting_)
    grant_waiting(members);
}

void name_coordinator::begin_term(const membership& members, clock::time_point now) {
  active_ = true;
  term_began_ = next_ask_ = now;
  token_ = members.own().life.low + ++terms_; // no other coordinator's
  table_.clear();
  wanted_.clear();
  synced_.clear();
  stale_.clear();
}

void name_coordinator::end_term() {
  active_ = false;
  granting_ = false;
}

void name_coordinator::ask_for_claims(const membership& members, clock::time_point now) {
  const bool again = now >= next_ask_;
  if (again)
    next_ask_ = now + opts_.ask_interval;
  members_.clear();
  for (const auto& [id, record] : members.table().records()) {
    if (record.gone() || (id != members.own() && !members.linked_to(id)))
      continue;
    if (again && (synced_.count(id) == 0 || stale_.count(id) != 0))
      tell(id, name_op::sync_request, {});
    if (synced_.count(id) != 0)
      members_.insert(id);
  }
}

void name_coordinator::check_gone(const membership& members, clock::time_point now) {
  const bool certain = members.mode() == quorum_mode::majority;
  for (const auto& [id, record] : members.table().records()) {
    if (!record.gone()) {
      if (!certain && members.lost(id))
        drop_names_of(id); // for as long as it is out of reach
      continue;
    }
    if (gone_.count(id) == 0)
      ending_.try_emplace(
          id, ending{members.table().version(), record.state == member_state::left, {}});
  }
  // The table of members may forget one in the moment in which it ends, or before that is sure.
  if (const auto version = members.table().version(); version != members_version_) {
    members_version_ = version;
    for (const auto& [name, entry] : table_)
      if (members.table().find(entry.holder) == nullptr)
        ending_.try_emplace(entry.holder, ending{version, false, {}});
  }
  for (auto i = ending_.begin(); i != ending_.end();) {
    auto& [id, end] = *i;
    if (!end.confirmed_at && members.known_by_majority(end.version))
      end.confirmed_at = now;
    if (certain && !end.announced &&
        (!end.confirmed_at || now - *end.confirmed_at <= opts_.lease)) {
      ++i;
      continue;
    }
    drop_names_of(id);
    gone_.insert(id);
    i = ending_.erase(i);
  }
  std::erase_if(gone_, [&](const auto& id) { return members.table().find(id) == nullptr; });
}

void name_coordinator::drop_names_of(const member_id& holder) {
  for (auto i = table_.begin(); i != table_.end();) {
    if (i->second.holder == holder) {
      tell_all(name_op::removed, i->second);
      i = table_.erase(i);
    } else {
      ++i;
    }
  }
}

bool name_coordinator::on_its_way_out(const member_id& holder) const {
  return ending_.count(holder) != 0;
}

bool name_coordinator::all_known(const membership& members, clock::time_point now) const {
  if (std::any_of(ending_.begin(), ending_.end(),
                  [&](const auto& x) { return synced_.count(x.first) == 0; }))
    return false;
  for (const auto& [id, record] : members.table().records()) {
    if (synced_.count(id) != 0 || gone_.count(id) != 0 || record.state == member_state::leaving)
      continue;
    if (members.mode() == quorum_mode::none && members.lost(id))
      continue;
    return false;
  }
  if (members.mode() == quorum_mode::none)
    return true;
  return members.known_by_majority(members.table().version()) &&
         (nobody_before(members) || now - term_began_ > opts_.lease);
}

// Whether no grant of a former coordinator can be under way to a member that we have not heard of.
// One that leaves grants nothing from then on, and tells with the same gossip whom it knows.
bool name_coordinator::nobody_before(const membership& members) const {
  const auto& records = members.table().records();
  const auto& own = *members.table().find(members.own());
  return std::all_of(records.begin(), records.end(), [&](const auto& x) {
    const auto& [id, record] = x;
    return record.order == 0 || !older(record, own) || record.state == member_state::leaving ||
           record.state == member_state::left || gone_.count(id) != 0;
  });
}

void name_coordinator::begin_granting(const membership& members) {
  granting_ = true;
  for (auto i = table_.begin(); i != table_.end();)
    i = gone_.count(i->second.holder) != 0 ? table_.erase(i) : std::next(i);
  for (const auto& id : members_)
    send_table(id);
}

// -- from members -----------------------------------------------------------------------

void name_coordinator::on_names(const member_id& from, const names_body& body,
                                const membership& members, clock::time_point now) {
  if (!active_ || !members.active(now) || body.token != token_)
    return;
  const auto* record = members.table().find(from);
  if (record == nullptr || record->gone())
    return;
  if (body.op == name_op::claims)
    return on_claims(from, body);
  if (synced_.count(from) == 0)
    return;
  for (const auto& entry : body.entries) {
    if (entry.holder != from)
      continue;
    if (body.op == name_op::claim)
      on_claim(entry);
    else if (body.op == name_op::release)
      on_release(entry);
  }
}

void name_coordinator::on_claims(const member_id& from, const names_body& body) {
  synced_.insert(from);
  stale_.erase(from);
  members_.insert(from);
  keep_only(from, body.entries);
  for (const auto& entry : body.entries)
    if (entry.holder == from && entry.epoch != 0)
      merge_held(entry);
  for (const auto& entry : body.entries)
    if (entry.holder == from && entry.epoch == 0)
      on_claim(entry);
  if (granting_)
    send_table(from);
}

void name_coordinator::keep_only(const member_id& from, const std::vector<name_entry>& claimed) {
  std::set<std::pair<std::string_view, uint64_t>> all;
  for (const auto& entry : claimed)
    all.emplace(entry.name, entry.claim);
  const auto claims = [&](const name_entry& held) {
    return all.count({held.name, held.claim}) != 0;
  };
  for (auto i = table_.begin(); i != table_.end();) {
    if (i->second.holder == from && !claims(i->second)) {
      tell_all(name_op::removed, i->second);
      i = table_.erase(i);
    } else {
      ++i;
    }
  }
  for (auto& [name, list] : wanted_)
    std::erase_if(list, [&](const auto& x) { return x.holder == from; });
}

void name_coordinator::merge_held(const name_entry& entry) {
  epoch_ = std::max(epoch_, entry.epoch);
  const auto [known, fresh] = table_.try_emplace(entry.name, entry);
  if (fresh) {
    tell_all(name_op::changed, entry);
    return;
  }
  if (known->second == entry)
    return;
  if (!wins(entry, known->second)) {
    if (known->second.holder != entry.holder)
      tell(entry.holder, name_op::lost, {known->second, entry});
    return;
  }
  const auto loser = std::exchange(known->second, entry);
  if (loser.holder != entry.holder)
    tell(loser.holder, name_op::lost, {entry, loser});
  tell_all(name_op::changed, entry);
}

void name_coordinator::on_claim(const name_entry& entry) {
  auto& list = wanted_[entry.name];
  const auto same = [&](const auto& x) { return x.holder == entry.holder; };
  std::erase_if(list, same);
  list.push_back(entry);
}

void name_coordinator::on_release(const name_entry& entry) {
  const auto w = wanted_.find(entry.name);
  if (w != wanted_.end())
    std::erase_if(w->second, [&](const auto& x) {
      return x.holder == entry.holder && x.claim == entry.claim;
    });
  const auto i = table_.find(entry.name);
  if (i == table_.end() || i->second.holder != entry.holder || i->second.claim != entry.claim)
    return;
  tell_all(name_op::removed, i->second);
  table_.erase(i);
}

void name_coordinator::grant_waiting(const membership& members) {
  const auto wanted = std::exchange(wanted_, {});
  for (const auto& [name, list] : wanted) {
    for (const auto& entry : list) {
      const auto* record = members.table().find(entry.holder);
      if (record == nullptr || record->gone() || members_.count(entry.holder) == 0)
        continue; // it claims again when it is back
      const auto known = table_.find(name);
      if (record->order == 0 || (known != table_.end() && on_its_way_out(known->second.holder))) {
        wanted_[name].push_back(entry); // until it is up, or the holder is gone
      } else if (known == table_.end()) {
        auto& granted = table_[name] = entry;
        granted.epoch = ++epoch_;
        tell_all(name_op::changed, granted);
      } else if (known->second.holder == entry.holder && known->second.claim == entry.claim) {
        tell(entry.holder, name_op::changed, {known->second}); // it asked twice
      } else {
        tell(entry.holder, name_op::denied, {known->second, entry});
      }
    }
  }
}

// -- to members -------------------------------------------------------------------------

void name_coordinator::tell_all(name_op op, const name_entry& entry) {
  if (granting_) // else all get the table when granting begins
    for (const auto& id : members_)
      tell(id, op, {entry});
}

void name_coordinator::tell(const member_id& to, name_op op, std::vector<name_entry> entries) {
  messages_.emplace_back(to, names_body{op, token_, std::move(entries)});
}

void name_coordinator::send_table(const member_id& to) {
  std::vector<name_entry> entries;
  for (const auto& [name, entry] : table_)
    if (!on_its_way_out(entry.holder))
      entries.push_back(entry);
  tell(to, name_op::table, std::move(entries));
}

} // namespace caf_app

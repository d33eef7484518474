#include "caf_app/cluster/name_owner.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace caf_app {

void name_owner::want(const std::string& name, uint64_t actor, const membership& members,
                      clock::time_point now) {
  const auto [known, fresh] = own_.try_emplace(name, claim{actor, 0, 0});
  if (!fresh) {
    const bool same = known->second.actor == actor;
    if (!same)
      effects_.outcomes.push_back(
          {name, actor, name_outcome::kind::refused, errc::name_taken, opts_.own});
    else if (known->second.epoch != 0)
      effects_.outcomes.push_back({name, actor, name_outcome::kind::granted, errc{}, {}});
    return;
  }
  known->second.number = ++claims_;
  if (members.quorate(now))
    quorate_at_ = now;
  if (now - quorate_at_ >= opts_.stable_after)
    finish(name, name_outcome::kind::refused, errc::no_quorum, {});
  else
    tell(name_op::claim, entry_of(name, known->second));
}

name_entry name_owner::entry_of(const std::string& name, const claim& own) const {
  return {name, opts_.own, own.actor, own.number, own.epoch};
}

void name_owner::release(const std::string& name, uint64_t actor) {
  const auto i = own_.find(name);
  if (i == own_.end() || i->second.actor != actor)
    return;
  tell(name_op::release, entry_of(name, i->second));
  own_.erase(i);
  const auto* entry = find(name);
  if (entry != nullptr && entry->holder == opts_.own)
    erase(name);
}

void name_owner::tell(name_op op, name_entry entry) {
  if (!synced_with_.name.empty())
    effects_.messages.emplace_back(synced_with_, names_body{op, token_, {std::move(entry)}});
}

// -- from the coordinator -----------------------------------------------------------

void name_owner::on_names(const member_id& from, const names_body& body, const membership& members,
                          clock::time_point now) {
  if (from != members.supports())
    return; // another one coordinates, or nobody
  if (body.op == name_op::sync_request)
    return answer_sync(from, body.token);
  if (from != synced_with_ || body.token != token_)
    return; // an earlier term
  fresh_ = members.quorate(now) && members.heard_by(from, now);
  if (body.op == name_op::table)
    return on_table(body.entries);
  if (body.op == name_op::denied || body.op == name_op::lost) {
    if (body.entries.size() != 2)
      return;
    const auto& winner = body.entries[0];
    const auto& claimed = body.entries[1];
    return body.op == name_op::denied ? on_denied(winner, claimed) : on_lost(winner, claimed);
  }
  for (const auto& entry : body.entries) {
    if (body.op == name_op::changed)
      on_changed(entry);
    else if (body.op == name_op::removed)
      on_removed(entry);
  }
}

void name_owner::answer_sync(const member_id& from, uint64_t token) {
  synced_with_ = from;
  token_ = token;
  names_body answer{name_op::claims, token, {}};
  for (const auto& [name, own] : own_)
    answer.entries.push_back(entry_of(name, own));
  effects_.messages.emplace_back(from, std::move(answer));
}

void name_owner::on_changed(const name_entry& entry) {
  if (entry.holder != opts_.own)
    return put(entry);
  const auto i = own_.find(entry.name);
  if (i == own_.end())
    return tell(name_op::release, entry); // nobody here wants it any more
  if (i->second.number != entry.claim)
    return; // the answer to an earlier claim, which was released
  const bool first = i->second.epoch == 0;
  if (first && !fresh_)
    return; // claimed again soon
  i->second.epoch = entry.epoch;
  put(entry); // first: who is told that it holds a name finds it
  if (first)
    effects_.outcomes.push_back(
        {entry.name, entry.actor, name_outcome::kind::granted, errc{}, opts_.own});
}

void name_owner::on_removed(const name_entry& entry) {
  const auto* known = find(entry.name);
  if (known != nullptr && known->epoch <= entry.epoch && known->holder != opts_.own)
    erase(entry.name);
}

void name_owner::on_table(const std::vector<name_entry>& entries) {
  std::unordered_set<std::string_view> listed;
  for (const auto& entry : entries)
    listed.insert(entry.name);
  std::vector<std::string> stale;
  for (const auto& [name, entry] : replica_)
    if (listed.count(name) == 0)
      stale.push_back(name);
  for (const auto& name : stale)
    if (!holds(name))
      erase(name);
  for (const auto& entry : entries)
    on_changed(entry);
}

void name_owner::on_denied(const name_entry& winner, const name_entry& claimed) {
  const auto i = own_.find(claimed.name);
  if (i != own_.end() && i->second.number == claimed.claim && i->second.epoch == 0)
    finish(claimed.name, name_outcome::kind::refused, errc::name_taken, winner.holder);
}

void name_owner::on_lost(const name_entry& winner, const name_entry& claimed) {
  const auto i = own_.find(claimed.name);
  if (i == own_.end() || i->second.number != claimed.claim)
    return;
  finish(claimed.name, name_outcome::kind::lost, errc::name_taken, winner.holder);
  put(winner);
}

// -- time -----------------------------------------------------------------------------

void name_owner::step(const membership& members, clock::time_point now) {
  follow(members.supports());
  if (members.quorate(now))
    quorate_at_ = now;
  if (members.ended())
    give_up(errc::conflict);
  else if (now - quorate_at_ >= opts_.stable_after)
    give_up(errc::no_quorum);
  claim_again(now);
  drop_gone(members);
}

// Whoever supports nobody for a moment, and then the same coordinator again, may still be in its
// term: that one believes to know what is held here, and will not ask.
void name_owner::follow(const member_id& supported) {
  if (supported == synced_with_)
    return;
  if (!synced_with_.name.empty()) {
    left_ = std::exchange(synced_with_, {});
    left_token_ = std::exchange(token_, 0);
  }
  if (!supported.name.empty() && supported == left_)
    answer_sync(left_, left_token_);
}

// A claim, or the answer to it, may have met a coordinator that was no more.
void name_owner::claim_again(clock::time_point now) {
  if (now - claimed_at_ < std::chrono::seconds{1})
    return;
  claimed_at_ = now;
  for (const auto& [name, own] : own_)
    if (own.epoch == 0)
      tell(name_op::claim, entry_of(name, own));
}

void name_owner::give_up(errc why) {
  std::vector<std::pair<std::string, claim>> all{own_.begin(), own_.end()};
  for (const auto& [name, own] : all) {
    tell(name_op::release, entry_of(name, own)); // a grant may be here that nobody trusted
    const auto what = own.epoch != 0 ? name_outcome::kind::lost : name_outcome::kind::refused;
    finish(name, what, why, {});
    const auto* entry = find(name);
    if (entry != nullptr && entry->holder == opts_.own)
      erase(name);
  }
}

// Without quorum nobody is declared down, so names of a holder that this node cannot reach go here
// alone: the coordinator may reach it. When it is back, so are they, with the table that answers
// the claims.
void name_owner::drop_gone(const membership& members) {
  if (members.mode() == quorum_mode::majority && members_version_ == members.table().version())
    return;
  members_version_ = members.table().version();
  std::vector<std::string> free;
  for (const auto& [name, entry] : replica_) {
    const auto* holder = members.table().find(entry.holder);
    const bool gone = holder != nullptr && holder->gone();
    const bool lost = members.mode() == quorum_mode::none && members.lost(entry.holder);
    if (gone || (lost && entry.holder != opts_.own))
      free.push_back(name);
    if (lost && !gone && entry.holder != opts_.own)
      out_of_reach_.insert(entry.holder);
  }
  for (const auto& name : free)
    erase(name);
  const auto kept = [&](const member_id& id) {
    const auto* record = members.table().find(id);
    return record != nullptr && !record->gone();
  };
  std::erase_if(out_of_reach_, [&](const auto& id) { return !kept(id); });
  const auto back = std::erase_if(out_of_reach_, [&](const auto& id) { return !members.lost(id); });
  if (back != 0 && !synced_with_.name.empty())
    answer_sync(synced_with_, token_);
}

// -- books ------------------------------------------------------------------------------

void name_owner::finish(const std::string& name, name_outcome::kind what, errc why,
                        const member_id& winner) {
  const auto i = own_.find(name);
  effects_.outcomes.push_back({name, i->second.actor, what, why, winner});
  own_.erase(i);
}

void name_owner::put(const name_entry& entry) {
  auto& known = replica_[entry.name];
  if (known == entry)
    return;
  known = entry;
  effects_.changes.push_back({entry, false});
}

void name_owner::erase(const std::string& name) {
  const auto i = replica_.find(name);
  if (i == replica_.end())
    return;
  effects_.changes.push_back({std::move(i->second), true});
  replica_.erase(i);
}

const name_entry* name_owner::find(const std::string& name) const {
  const auto i = replica_.find(name);
  return i == replica_.end() ? nullptr : &i->second;
}

bool name_owner::holds(const std::string& name) const {
  const auto i = own_.find(name);
  return i != own_.end() && i->second.epoch != 0;
}

std::vector<name_entry> name_owner::held() const {
  std::vector<name_entry> list;
  for (const auto& [name, own] : own_)
    if (own.epoch != 0)
      list.push_back(entry_of(name, own));
  return list;
}

} // namespace caf_app

// The part of the registry that is about names of the cluster and members on other nodes.
#include <algorithm>
#include <bit>

#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/ask_limits.hpp"
#include "caf_app/registry/liveness.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

// -- names of this node's actors ------------------------------------------------------

void registry::add_claim(std::string_view name, caf::strong_actor_ptr holder, claim_mode mode,
                         claim_result done) {
  if (!cluster_) {
    const auto held = add_name(name, std::move(holder));
    return done(held ? caf::error{} : held.error());
  }
  if (auto why = why_invalid_name(name); !why.empty())
    return done(caf::make_error(errc::invalid_argument, std::move(why)));
  if (const auto here = names_.find(name, name_layer::node); here && here != holder)
    return done(caf::make_error(errc::name_taken, std::string{name}));
  const auto noted = change_for(holder, [&](holdings& x) -> caf::error {
    const auto [found, fresh] = claimants_.try_emplace(std::string{name}, holder->address());
    if (!fresh && found->second != holder->address())
      return caf::make_error(errc::name_taken, std::string{name});
    if (fresh)
      x.claims.emplace_back(name);
    return {};
  });
  if (!noted)
    return done(noted.error());
  const auto answer = [weak = weak_from_this(), text = std::string{name}, who = holder->address(),
                       done = std::move(done)](const caf::error& why) {
    if (const auto self = weak.lock(); self && why)
      self->forget_claim(text, who);
    done(why);
  };
  cluster_->claim(std::string{name}, holder, mode, answer);
}

void registry::forget_claim(const std::string& name, const caf::actor_addr& holder) {
  std::scoped_lock guard{mutex_};
  const auto found = claimants_.find(name);
  if (found == claimants_.end() || found->second != holder)
    return;
  claimants_.erase(found);
  const auto held = holdings_.find(caf::actor_cast<caf::actor_control_block*>(holder));
  if (held != holdings_.end())
    std::erase(held->second.claims, name);
}

bool registry::release_claim(std::string_view name) {
  caf::actor_addr holder;
  {
    std::scoped_lock guard{mutex_};
    const auto found = claimants_.find(std::string{name});
    if (found == claimants_.end())
      return false;
    holder = found->second;
  }
  forget_claim(std::string{name}, holder);
  cluster_->release(std::string{name}, holder.id());
  return true;
}

// -- what the cluster tells -----------------------------------------------------------

void registry::cluster_name_held(const std::string& name, const caf::strong_actor_ptr& holder,
                                 const std::string& node, uint64_t epoch, time_point now) {
  caf::strong_actor_ptr before; // dropped after the lock
  std::scoped_lock guard{mutex_};
  before = names_.replace(name, holder);
  cluster_facts_[name] = {node, epoch, now};
  if (before != holder)
    tell(topic::names, name, holder, before ? registry_change::changed : registry_change::added);
}

void registry::cluster_name_free(const std::string& name, time_point now) {
  caf::strong_actor_ptr before;
  std::scoped_lock guard{mutex_};
  before = names_.erase(name, name_layer::cluster);
  cluster_facts_.erase(name);
  if (!before)
    return;
  // Each time their number has doubled: a node that ends frees thousands at once.
  if (freed_.insert_or_assign(name, now).second && std::has_single_bit(freed_.size()))
    std::erase_if(
        freed_, [now](const auto& x) { return now - x.second > limits::registry::name_moves_for; });
  tell(topic::names, name, before, registry_change::removed);
}

void registry::remote_member(const std::string& group, const std::string& node,
                             const caf::strong_actor_ptr& member) {
  std::scoped_lock guard{mutex_};
  if (remote_[group][node].insert(member).second)
    tell(topic::groups, group, member, registry_change::added);
}

void registry::remote_member_gone(const std::string& group, const std::string& node,
                                  const caf::strong_actor_ptr& member) {
  std::scoped_lock guard{mutex_};
  auto& nodes = remote_[group];
  auto& members = nodes[node];
  if (members.erase(member) != 0)
    tell(topic::groups, group, member, registry_change::removed);
  if (members.empty())
    nodes.erase(node);
  if (nodes.empty())
    remote_.erase(group);
}

bool registry::moves(std::string_view name, time_point now) const {
  std::scoped_lock guard{mutex_};
  const auto found = freed_.find(std::string{name});
  return found != freed_.end() && now - found->second <= limits::registry::name_moves_for &&
         !names_.find(name, name_layer::cluster);
}

// -- lists ----------------------------------------------------------------------------

std::vector<name_info> registry::names(std::string_view prefix, time_point now) const {
  std::vector<name_info> result;
  const auto add = [&](name_table::entry& x, time_point since) -> name_info& {
    const auto held = std::chrono::duration_cast<std::chrono::milliseconds>(now - since);
    result.push_back({std::move(x.name), x.holder->id(),
                      static_cast<uint64_t>(std::max<int64_t>(held.count(), 0))});
    return result.back();
  };
  for (auto& x : names_.list(prefix, name_layer::node))
    add(x, x.since);
  auto shared = names_.list(prefix, name_layer::cluster);
  if (shared.empty())
    return result;
  std::scoped_lock guard{mutex_};
  for (auto& x : shared) {
    const auto found = cluster_facts_.find(x.name);
    if (found == cluster_facts_.end())
      continue; // freed since the list was made
    auto& info = add(x, found->second.since);
    info.node = found->second.node;
    info.epoch = found->second.epoch;
  }
  std::sort(result.begin(), result.end(),
            [](const name_info& a, const name_info& b) { return a.name < b.name; });
  return result;
}

void registry::add_remote(std::vector<group_info>& list, std::string_view prefix) const {
  for (const auto& [group, nodes] : remote_) {
    if (!group.starts_with(prefix))
      continue;
    auto line = std::find_if(list.begin(), list.end(),
                             [&group = group](const group_info& x) { return x.group == group; });
    if (line == list.end())
      line = list.insert(list.end(), group_info{group, {}, {}});
    for (const auto& [node, members] : nodes) {
      auto& part = line->remote.emplace_back();
      part.node = node;
      for (const auto& member : members)
        part.members.push_back(member->id());
      std::sort(part.members.begin(), part.members.end());
    }
  }
  std::sort(list.begin(), list.end(),
            [](const group_info& a, const group_info& b) { return a.group < b.group; });
}

void registry::send_remote_snapshot(const subscription& to) {
  for (const auto& [group, nodes] : remote_) {
    if (!to.only.empty() && group != to.only)
      continue;
    for (const auto& [node, members] : nodes)
      for (const auto& member : members)
        to.who->enqueue(
            caf::make_mailbox_element(
                nullptr, caf::make_message_id(), {},
                group_event{group, caf::actor_cast<caf::actor>(member), registry_change::present}),
            nullptr);
  }
}

} // namespace caf_app

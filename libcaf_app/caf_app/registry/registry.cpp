#include "caf_app/registry/registry.hpp"

#include <algorithm>

#include <caf/actor_clock.hpp>
#include <caf/actor_system.hpp>
#include <caf/mailbox_element.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

namespace {

caf::error bad_name(std::string_view name) {
  auto why = why_invalid_name(name);
  return why.empty() ? caf::error{} : caf::make_error(errc::invalid_argument, std::move(why));
}

void send(const caf::strong_actor_ptr& to, caf::message content, caf::execution_unit* unit) {
  to->enqueue(caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, std::move(content)),
              unit);
}

} // namespace

std::shared_ptr<registry> registry::make() { return std::shared_ptr<registry>{new registry}; }

// -- names ------------------------------------------------------------------------

caf::expected<void> registry::add_name(std::string_view name, caf::strong_actor_ptr holder) {
  if (auto err = bad_name(name))
    return err;
  caf::strong_actor_ptr current; // dropped after the lock
  return change_for(holder, [&](holdings& x) -> caf::error {
    const auto now = holder->home_system->clock().now();
    if (!names_.insert(name, holder, now)) {
      current = names_.find(name, name_layer::node);
      if (current == holder)
        return {};
      if (current && !has_ended(*current->get()))
        return caf::make_error(errc::name_taken, std::string{name});
      // It has ended, and who watches it may know before its clean-up has come to us.
      drop_name(name, current);
      names_.insert(name, holder, now);
    }
    x.names.emplace_back(name);
    tell(topic::names, x.names.back(), holder, registry_change::added);
    return {};
  });
}

bool registry::unregister_name(std::string_view name) {
  caf::strong_actor_ptr holder; // dropped after the lock: the last reference may end the actor
  {
    std::scoped_lock guard{mutex_};
    holder = names_.find(name, name_layer::node);
    if (holder && drop_name(name, holder))
      return true;
  }
  return release_claim(name);
}

bool registry::drop_name(std::string_view name, const caf::strong_actor_ptr& holder) {
  if (!names_.erase(name, name_layer::node))
    return false;
  if (const auto found = holdings_.find(holder.get()); found != holdings_.end())
    std::erase(found->second.names, name);
  tell(topic::names, std::string{name}, holder, registry_change::removed);
  return true;
}

// -- groups -----------------------------------------------------------------------

caf::expected<void> registry::add_member(std::string_view group, caf::strong_actor_ptr member) {
  if (auto err = bad_name(group))
    return err;
  return change_for(member, [&](holdings& x) -> caf::error {
    if (groups_.insert(group, member)) {
      x.groups.emplace_back(group);
      if (cluster_)
        cluster_->joined(x.groups.back(), member);
      tell(topic::groups, x.groups.back(), member, registry_change::added);
    }
    return {};
  });
}

bool registry::remove_member(std::string_view group, const caf::strong_actor_ptr& member) {
  std::scoped_lock guard{mutex_};
  if (!member || !groups_.erase(group, member.get()))
    return false;
  if (const auto found = holdings_.find(member.get()); found != holdings_.end())
    std::erase(found->second.groups, group);
  if (cluster_)
    cluster_->left(std::string{group}, member->id());
  tell(topic::groups, std::string{group}, member, registry_change::removed);
  return true;
}

publish_count registry::publish(std::string_view group, const caf::message& content,
                                caf::execution_unit* unit) {
  const auto remote = cluster_ ? cluster_->publish(std::string{group}, content) : 0;
  return {publish_here(group, content, unit), remote};
}

size_t registry::publish_here(std::string_view group, const caf::message& content,
                              caf::execution_unit* unit) {
  group_table::view members;
  {
    std::scoped_lock guard{mutex_};
    members = groups_.members(group);
  }
  if (!members)
    return 0;
  for (const auto& member : *members)
    send(member, content, unit);
  return members->size();
}

std::vector<caf::actor> registry::members(std::string_view group) const {
  group_table::view members;
  {
    std::scoped_lock guard{mutex_};
    members = groups_.members(group);
  }
  std::vector<caf::actor> result;
  if (members)
    for (const auto& member : *members)
      result.push_back(caf::actor_cast<caf::actor>(member));
  return result;
}

std::vector<group_info> registry::groups(std::string_view prefix) const {
  std::scoped_lock guard{mutex_};
  auto result = groups_.list(prefix);
  add_remote(result, prefix);
  return result;
}

// -- events -----------------------------------------------------------------------

caf::expected<void> registry::subscribe(caf::strong_actor_ptr who, topic about,
                                        std::string_view only) {
  return change_for(who, [&](holdings& x) -> caf::error {
    auto& all = subscriptions(about);
    auto found = std::find_if(all.begin(), all.end(), [&](const subscription& s) {
      return s.who == who && s.only == only;
    });
    if (found == all.end())
      found = all.insert(all.end(), subscription{who, std::string{only}});
    x.subscribes = true;
    send_snapshot(*found, about);
    return {};
  });
}

void registry::unsubscribe(const caf::strong_actor_ptr& who, topic about, std::string_view only) {
  std::scoped_lock guard{mutex_};
  std::erase_if(subscriptions(about),
                [&](const subscription& s) { return s.who == who && s.only == only; });
}

std::vector<registry::subscription>& registry::subscriptions(topic about) {
  return about == topic::names ? name_subscriptions_ : group_subscriptions_;
}

void registry::tell(topic about, const std::string& name, const caf::strong_actor_ptr& who,
                    registry_change change) {
  caf::message content; // made once, and only if somebody listens
  for (const auto& x : subscriptions(about)) {
    if (!x.only.empty() && x.only != name)
      continue;
    if (content.empty()) {
      auto actor = caf::actor_cast<caf::actor>(who);
      content = about == topic::names
                    ? caf::make_message(name_event{name, std::move(actor), change})
                    : caf::make_message(group_event{name, std::move(actor), change});
    }
    send(x.who, content, nullptr);
  }
}

void registry::send_snapshot(const subscription& to, topic about) {
  if (about == topic::names) {
    for (const auto layer : {name_layer::node, name_layer::cluster})
      for (auto& x : names_.list(to.only, layer))
        if (to.only.empty() || x.name == to.only)
          send(
              to.who,
              caf::make_message(name_event{std::move(x.name), caf::actor_cast<caf::actor>(x.holder),
                                           registry_change::present}),
              nullptr);
    send(to.who, caf::make_message(name_event{{}, nullptr, registry_change::synced}), nullptr);
    return;
  }
  for (auto& x : groups_.list(to.only)) {
    if (!to.only.empty() && x.group != to.only)
      continue;
    for (const auto& member : *groups_.members(x.group))
      send(to.who,
           caf::make_message(
               group_event{x.group, caf::actor_cast<caf::actor>(member), registry_change::present}),
           nullptr);
  }
  send_remote_snapshot(to);
  send(to.who, caf::make_message(group_event{{}, nullptr, registry_change::synced}), nullptr);
}

// -- the end of actors ------------------------------------------------------------

caf::expected<void> registry::change_for(const caf::strong_actor_ptr& actor,
                                         const std::function<caf::error(holdings&)>& change) {
  if (!actor || has_ended(*actor->get()))
    return why_unusable(actor ? actor->get() : nullptr);
  bool is_first = false;
  {
    std::scoped_lock guard{mutex_};
    const auto [found, is_new] = holdings_.try_emplace(actor.get());
    if (is_new)
      found->second.who = actor->address();
    if (auto err = change(found->second)) {
      if (is_new)
        holdings_.erase(found);
      return err;
    }
    is_first = is_new;
  }
  if (!is_first)
    return caf::unit;
  // If the actor ended just now, this calls the functor at once and undoes the change.
  actor->get()->attach_functor([weak = weak_from_this(), key = actor.get()] {
    if (const auto self = weak.lock())
      self->on_end(key);
  });
  if (has_ended(*actor->get()))
    return why_unusable(actor->get());
  return caf::unit;
}

void registry::on_end(actor_key key) {
  caf::strong_actor_ptr keep; // while the lock is held, no reference below is the last one
  holdings held;
  {
    std::scoped_lock guard{mutex_};
    auto node = holdings_.extract(key);
    if (node.empty())
      return;
    held = std::move(node.mapped());
    if (held.names.empty() && held.groups.empty() && held.claims.empty() && !held.subscribes)
      return; // nothing refers to it; it may be in its destructor
    keep = caf::actor_cast<caf::strong_actor_ptr>(held.who);
    drop(held, keep);
  }
  for (const auto& name : held.claims) // calls back
    cluster_->release(name, held.who.id());
}

void registry::drop(const holdings& held, const caf::strong_actor_ptr& who) {
  if (held.subscribes) {
    drop_subscriptions(name_subscriptions_, who.get());
    drop_subscriptions(group_subscriptions_, who.get());
  }
  for (const auto& name : held.names) {
    names_.erase(name, name_layer::node);
    tell(topic::names, name, who, registry_change::removed);
  }
  for (const auto& name : held.claims)
    claimants_.erase(name);
  for (const auto& group : held.groups) {
    groups_.erase(group, who.get());
    if (cluster_)
      cluster_->left(group, who->id());
    tell(topic::groups, group, who, registry_change::removed);
  }
}

void registry::drop_subscriptions(std::vector<subscription>& from, actor_key actor) {
  std::erase_if(from, [actor](const subscription& s) { return s.who.get() == actor; });
}

} // namespace caf_app

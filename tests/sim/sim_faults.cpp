// What goes wrong in a simulated world, what its actors do, and what must hold nevertheless.
#include <algorithm>

#include "caf_app/cluster/body_codec.hpp"
#include "sim_world.hpp"

namespace sim {

using namespace caf_app;

namespace {

const std::string names[] = {"alpha", "beta", "gamma", "delta"};

} // namespace

// -- what goes wrong ----------------------------------------------------------------------------

void world::fault() {
  auto& n = nodes_[pick(nodes_.size())];
  auto& m = nodes_[pick(nodes_.size())];
  const auto kind = pick(400); // about one fault in two seconds, ten times a second
  if (kind < 6 && n.alive) {
    ++probes_["death"];
    kill_node(n, duration{pick(8) == 0 ? 100 : 500 + pick(9000)});
  } else if (kind < 12 && n.runs()) {
    ++probes_["pause"];
    n.frozen = true;
    const auto life = n.record.id;
    at(now_ + duration{200 + pick(pick(2) == 0 ? 2500 : 14'000)}, [this, &n, life] {
      if (n.record.id == life)
        n.frozen = false;
    });
  } else if (kind < 17 && n.index != m.index) {
    ++probes_["cut in one direction"];
    trace("cut " + n.name + " to " + m.name);
    cuts_.cut(n.index, m.index);
  } else if (kind < 22 && n.index != m.index) {
    ++probes_["cut between two"];
    trace("cut " + n.name + " and " + m.name);
    cuts_.cut(n.index, m.index);
    cuts_.cut(m.index, n.index);
  } else if (kind < 27) {
    ++probes_["split"];
    const auto side = random_();
    for (const auto& a : nodes_)
      for (const auto& b : nodes_)
        if (((side >> a.index) & 1) != ((side >> b.index) & 1))
          cuts_.cut(a.index, b.index);
    trace("split " + std::to_string(side % 256));
  } else if (kind < 45) {
    cuts_.heal();
  } else if (kind < 49 && n.runs() && !n.links.empty()) {
    ++probes_["a connection breaks"];
    close_link(n, n.links.begin()->first);
    apply(n);
  } else if (kind < 51 && n.runs()) {
    ++probes_["a node leaves"];
    n.core->leave(n.local(now_));
    n.core->left(n.local(now_));
    apply(n);
    if (n.alive)
      kill_node(n, duration{500 + pick(5000)});
  }
}

// -- what actors do -----------------------------------------------------------------------------

void world::work() {
  auto& n = nodes_[pick(nodes_.size())];
  if (!n.runs())
    return;
  const auto& name = names[pick(std::size(names))];
  switch (pick(12)) {
    case 0:
    case 1:
    case 2: {
      const auto actor = ++next_actor_;
      n.actors.insert(actor);
      if (n.wanted.count(name) == 0)
        n.wanted[name] = actor;
      n.core->want_name(name, actor, n.local(now_));
      break;
    }
    case 3:
    case 4:
      if (const auto* entry = n.core->names().find(name);
          entry != nullptr && entry->holder == n.record.id) {
        n.core->release_name(name, entry->actor, n.local(now_));
        n.wanted.erase(name);
      }
      break;
    case 5:
    case 6:
      if (!n.actors.empty())
        end_actor(n, *std::next(n.actors.begin(), static_cast<long>(pick(n.actors.size()))));
      break;
    case 7:
    case 8: {
      const auto actor = ++next_actor_;
      n.actors.insert(actor);
      n.groups.insert({name, actor});
      n.core->join_group(name, actor);
      break;
    }
    default: watch_something(n);
  }
  apply(n);
}

void world::end_actor(node& n, uint64_t actor) {
  n.actors.erase(actor);
  std::vector<std::string> held;
  for (const auto& name : names)
    held.push_back(name);
  n.core->actor_ended(actor, held, n.local(now_));
  for (auto i = n.wanted.begin(); i != n.wanted.end();)
    i = i->second == actor ? n.wanted.erase(i) : std::next(i);
  for (auto i = n.groups.begin(); i != n.groups.end();)
    i = i->second == actor ? n.groups.erase(i) : std::next(i);
  for (const auto& watcher : n.watches.ended(actor))
    send(n, watcher, frame_kind::down, body_bytes(actor_body{actor}));
}

void world::watch_something(node& n) {
  const auto* entry = n.core->names().find(names[pick(std::size(names))]);
  if (entry == nullptr || entry->holder == n.record.id)
    return;
  const auto ref = ++next_ref_;
  watches_[ref] = {n.index, n.record.id, entry->holder, entry->actor, 0};
  if (n.core->members().lost(entry->holder))
    return count_down(ref);
  if (n.watches.watch(ref, entry->holder, entry->actor))
    send(n, entry->holder, frame_kind::monitor, body_bytes(actor_body{entry->actor}));
}

// -- what must hold -------------------------------------------------------------------------------

void world::count_down(uint64_t ref) {
  if (++watches_[ref].downs > 1)
    fail("watch " + std::to_string(ref) + " ended twice");
}

void world::check() {
  if (mode_ == quorum_mode::none)
    return;
  std::string actives;
  for (const auto& n : nodes_)
    if (n.runs() && n.core->members().active(n.local(now_)))
      actives += (actives.empty() ? "" : " and ") + n.name;
  if (actives.find(' ') != std::string::npos)
    fail("two coordinators: " + actives);
  for (const auto& name : names) {
    std::string holders;
    for (const auto& n : nodes_)
      if (n.runs() && n.core->names().holds(name) && n.core->members().quorate(n.local(now_)))
        holders += (holders.empty() ? "" : " and ") + n.name;
    if (holders.find(' ') != std::string::npos)
      fail("two holders of " + name + ": " + holders);
  }
}

bool world::check_watches(std::string& why) {
  for (const auto& [ref, w] : watches_) {
    const auto& owner = nodes_[w.owner];
    const auto* target = find(w.target.name);
    if (!owner.alive || owner.record.id != w.owner_life)
      continue;
    const bool ended = target->record.id != w.target || target->actors.count(w.actor) == 0;
    if (ended && w.downs != 1)
      why = "watch " + std::to_string(ref) + " of " + owner.name + " on " + to_string(w.target) +
            " has not ended";
  }
  return why.empty();
}

bool world::agree(std::string& why) {
  const auto& first = nodes_.front();
  size_t active = 0;
  std::vector<std::tuple<std::string, std::string, uint64_t>> members;
  for (const auto& n : nodes_)
    for (const auto& [group, actor] : n.groups)
      members.emplace_back(group, n.name, actor);
  std::sort(members.begin(), members.end());
  for (const auto& n : nodes_) {
    const auto& core = *n.core;
    active += core.members().active(n.local(now_)) ? 1 : 0;
    if (core.members().ended())
      why = n.name + " has ended";
    if (core.members().table().digest() != first.core->members().table().digest())
      why = n.name + " knows other members";
    for (const auto& m : nodes_) {
      const auto* living = core.members().table().living(m.name);
      if (living == nullptr || living->id != m.record.id || living->state != member_state::up)
        why = m.name + " is lost to " + n.name;
    }
    if (core.names().replica() != first.core->names().replica())
      why = n.name + " knows other names";
    for (const auto& [name, entry] : core.names().replica())
      if (!find(entry.holder.name)->core->names().holds(name) ||
          find(entry.holder.name)->record.id != entry.holder ||
          find(entry.holder.name)->actors.count(entry.actor) == 0)
        why = name + " is not held by " + to_string(entry.holder) + " as " + n.name + " believes";
    for (const auto& entry : core.names().held())
      if (core.names().find(entry.name) == nullptr || *core.names().find(entry.name) != entry)
        why = n.name + " holds " + entry.name + " but does not know it";
    if (!n.wanted.empty())
      why = n.name + " waits for " + n.wanted.begin()->first;
    std::vector<std::tuple<std::string, std::string, uint64_t>> seen;
    for (const auto& c : core.groups().snapshot())
      seen.emplace_back(c.group, c.node.name, c.actor);
    std::sort(seen.begin(), seen.end());
    if (seen != members)
      why = n.name + " knows other members of groups";
  }
  if (why.empty() && active != 1)
    why = std::to_string(active) + " coordinators";
  return why.empty();
}

bool world::converged() {
  std::string why;
  if (agree(why) && check_watches(why))
    return true;
  fail("no agreement: " + why);
  return false;
}

} // namespace sim

// Connections of a simulated world: dialling, delivering, and doing what a core says.
#include "caf_app/cluster/body_codec.hpp"
#include "sim_world.hpp"

namespace sim {

using namespace caf_app;

node* world::find(const std::string& name) {
  for (auto& n : nodes_)
    if (n.name == name)
      return &n;
  return nullptr;
}

// -- connecting -----------------------------------------------------------------------------

void world::dial_peers(node& n) {
  std::set<std::string> names{voters_.begin(), voters_.end()};
  for (const auto& [id, record] : n.core->members().table().records())
    if (!record.gone())
      names.insert(id.name);
  for (const auto& name : names)
    if (n.name < name) // the smaller name dials
      dial(n, *find(name));
}

void world::dial(node& from, node& to) {
  auto& state =
      from.dials
          .try_emplace(to.index,
                       dial_state{reconnect_backoff{{}, static_cast<uint32_t>(random_())}, {}})
          .first->second;
  if (from.links.count(to.index) != 0 || state.dialling || now_ < state.next)
    return;
  state.dialling = true;
  const auto a = from.index;
  const auto b = to.index;
  const auto life = from.record.id;
  at(now_ + delay() + delay(), [this, a, b, life] {
    auto& dialler = nodes_[a];
    if (!dialler.alive || dialler.record.id != life)
      return;
    auto& dialling = dialler.dials.at(b);
    dialling.dialling = false;
    dialling.next = now_ + dialling.backoff.next();
    if (dialler.runs() && nodes_[b].runs() && !cuts_.severed(a, b))
      meet(a, b);
  });
}

void world::meet(size_t a, size_t b) {
  auto& dialler = nodes_[a];
  auto& listener = nodes_[b];
  if (dialler.links.count(b) != 0)
    return;
  const auto by_listener = listener.core->admit(dialler.record.id, listener.local(now_));
  if (by_listener.why == refusal::declared_down) {
    dialler.core->told_down(dialler.local(now_));
    return apply(dialler);
  }
  const auto by_dialler = dialler.core->admit(listener.record.id, dialler.local(now_));
  if (by_dialler.why == refusal::declared_down) {
    listener.core->told_down(listener.local(now_));
    return apply(listener);
  }
  if (by_listener.why != refusal::none || by_dialler.why != refusal::none) {
    ++probes_["refused: " + to_string(std::max(by_listener.why, by_dialler.why))];
    return;
  }
  auto l = std::make_shared<link>();
  l->ends[0].node = a;
  l->ends[0].id = dialler.record.id;
  l->ends[1].node = b;
  l->ends[1].id = listener.record.id;
  dialler.dials.at(b).backoff.reset();
  join_ends(listener, l);
  if (nodes_[b].links.count(a) != 0) // still there
    join_ends(dialler, l);
}

void world::join_ends(node& n, const link_ptr& l) {
  const auto peer = l->other_end(n.index).node;
  if (n.links.count(peer) != 0) {
    ++probes_["a link was replaced"];
    close_link(n, peer);
  }
  n.links[peer] = l;
  const auto id = l->other_end(n.index).id;
  n.core->link_up(nodes_[peer].record, n.local(now_));
  for (const auto actor : n.watches.watched_on(id))
    send(n, id, frame_kind::monitor, body_bytes(actor_body{actor}));
  apply(n);
}

void world::close_link(node& n, size_t peer) {
  const auto l = n.links.at(peer);
  n.links.erase(peer);
  auto& mine = l->end_of(n.index);
  mine.open = false;
  mine.inbox.clear();
  post(l, peer, {now_ + delay(), true, {}, {}});
  const auto& id = l->other_end(n.index).id;
  n.watches.forget(id);
  if (n.core)
    n.core->link_down(id, n.local(now_));
}

// -- sending and delivering --------------------------------------------------------------------

void world::send(node& n, const member_id& to, frame_kind kind, std::string body) {
  const auto* peer = find(to.name);
  const auto i = peer == nullptr ? n.links.end() : n.links.find(peer->index);
  if (i == n.links.end() || i->second->other_end(n.index).id != to)
    return;
  post(i->second, peer->index, {now_ + delay(), false, kind, std::move(body)});
}

void world::post(const link_ptr& l, size_t to, packet p) {
  auto& end = l->end_of(to);
  if (!end.open)
    return;
  if (!end.inbox.empty())
    p.due = std::max(p.due, end.inbox.back().due);
  end.inbox.push_back(std::move(p));
  schedule(l, to);
}

void world::schedule(const link_ptr& l, size_t to) {
  auto& end = l->end_of(to);
  if (end.scheduled || end.inbox.empty())
    return;
  end.scheduled = true;
  at(std::max(now_, end.inbox.front().due), [this, l, to] { deliver(l, to); });
}

void world::deliver(const link_ptr& l, size_t to) {
  auto& end = l->end_of(to);
  auto& n = nodes_[to];
  end.scheduled = false;
  if (!end.open || end.inbox.empty() || !n.alive || n.record.id != end.id)
    return;
  if (n.frozen || cuts_.blocked(l->other_end(to).node, to)) {
    end.scheduled = true;
    at(now_ + duration{50}, [this, l, to] { deliver(l, to); });
    return;
  }
  const auto p = std::move(end.inbox.front());
  end.inbox.pop_front();
  on_packet(n, l, p);
  schedule(l, to);
}

void world::on_packet(node& n, const link_ptr& l, const packet& p) {
  const auto peer = l->other_end(n.index).node;
  const auto from = l->other_end(n.index).id;
  if (p.end) {
    close_link(n, peer);
  } else if (p.kind == frame_kind::monitor) {
    const auto actor = read_body<actor_body>(p.body)->actor;
    if (n.actors.count(actor) != 0)
      n.watches.on_monitor(from, actor);
    else
      send(n, from, frame_kind::down, p.body);
  } else if (p.kind == frame_kind::down) {
    for (const auto ref : n.watches.on_down(from, read_body<actor_body>(p.body)->actor))
      count_down(ref);
  } else if (!n.core->on_frame(from, p.kind, p.body, n.local(now_))) {
    fail("a body that cannot be read: " + to_string(p.kind));
  }
  apply(n);
}

// -- effects -----------------------------------------------------------------------------------

void world::apply(node& n) {
  if (!n.alive)
    return;
  auto effects = n.core->take_effects();
  for (auto& f : effects.frames)
    send(n, f.to, f.kind, std::move(f.body));
  for (const auto& id : effects.cut) {
    const auto* peer = find(id.name);
    const auto i = n.links.find(peer->index);
    if (i != n.links.end() && i->second->other_end(n.index).id == id)
      close_link(n, peer->index);
  }
  for (const auto& e : effects.members) {
    trace(n.name + " sees " + to_string(e.member) + ' ' + to_string(e.change));
    if (e.change == member_change::lost)
      for (const auto ref : n.watches.lost(e.member))
        count_down(ref);
    if (e.change == member_change::declared_down)
      n.rejoin = true;
  }
  for (const auto& o : effects.names) {
    trace(n.name + " name " + o.name + " outcome " + std::to_string(static_cast<int>(o.what)) +
          " claimed by " + std::to_string(o.actor));
    grants_ += o.what == name_outcome::kind::granted ? 1 : 0;
    if (o.what == name_outcome::kind::lost)
      ++probes_[o.why == errc::no_quorum ? "given up without quorum" : "name lost"];
    const auto w = n.wanted.find(o.name);
    if (w != n.wanted.end() && w->second == o.actor)
      n.wanted.erase(w);
  }
  if (n.rejoin)
    end_life(n);
  else if (!effects.cut.empty())
    apply(n);
}

} // namespace sim

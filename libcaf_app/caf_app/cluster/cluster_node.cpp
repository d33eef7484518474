// The part of the cluster layer that acts on what the core decides; cluster_node_links.cpp is what
// links ask of it.
#include "caf_app/cluster/cluster_node.hpp"

#include <algorithm>

#include <caf/exit_reason.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/random_source.hpp"

namespace caf_app {

namespace {

cluster_core::options core_options(const cluster_settings& settings, const member_id& own,
                                   const std::string& caf_node) {
  cluster_core::options result;
  auto& members = result.members;
  members.own.id = own;
  members.own.address = settings.address;
  members.own.roles = settings.roles;
  members.own.caf_node = caf_node;
  members.voters = settings.voters;
  members.mode = settings.quorum;
  members.heartbeat = settings.heartbeat;
  members.health.grace = settings.reconnect_grace;
  members.health.detector.interval = settings.heartbeat;
  members.health.detector.acceptable_pause = settings.acceptable_pause;
  result.stable_after = settings.stable_after;
  return result;
}

} // namespace

cluster_node::cluster_node(std::shared_ptr<const cluster_parts> parts,
                           std::function<void(const std::string&, bool)> on_dial)
    : parts_(std::move(parts)),
      on_dial_(std::move(on_dial)), own_{parts_->settings.node, random_incarnation()},
      core_(std::make_unique<cluster_core>(
          core_options(parts_->settings, own_, to_string(parts_->context->system.node())), now())),
      watches_(std::make_shared<watch_desk>(parts_->context)),
      delivery_(parts_->context, parts_->channels, watches_,
                [names = parts_->names, loop = parts_->context->loop](const std::string& group,
                                                                      const caf::message& content) {
                  names->publish_here(group, content, loop);
                }),
      next_second_(now()) {
  parts_->log->info(speaker(), "a life begins", {{"incarnation", to_string(own_.life)}});
}

cluster_node::~cluster_node() { shut("the cluster layer ends"); }

// -- what actors of this node want --------------------------------------------------------

void cluster_node::want(const std::string& name, caf::actor_id actor) {
  core_->want_name(name, actor, now());
  apply();
}

void cluster_node::release(const std::string& name, caf::actor_id actor) {
  core_->release_name(name, actor, now());
  apply();
}

void cluster_node::join(const std::string& group, caf::actor_id actor) {
  core_->join_group(group, actor);
  apply();
}

void cluster_node::leave_group(const std::string& group, caf::actor_id actor) {
  core_->leave_group(group, actor);
  apply();
}

// -- time and life --------------------------------------------------------------------------

void cluster_node::tick() {
  core_->tick(now());
  apply();
  for (const auto& [id, x] : peers_)
    x.channel->flush(); // what a handler has sent that computes for long
  if (now() < next_second_)
    return;
  next_second_ = now() + std::chrono::seconds{1};
  for (const auto& [id, x] : peers_)
    x.channel->expire(now());
  for (const auto& [name, actor] : parts_->desk->standing_by())
    if (!leaving_ && core_->names().find(name) == nullptr)
      core_->want_name(name, actor, now());
  apply();
  report_view();
}

void cluster_node::announce_leaving() {
  if (std::exchange(leaving_, true))
    return;
  core_->leave(now());
  apply();
  report_view();
}

void cluster_node::leave() {
  announce_leaving();
  if (std::exchange(left_, true))
    return;
  core_->left(now());
  apply();
  for (auto& [id, x] : peers_)
    if (x.channel->push(frame_kind::goodbye, 0, {}))
      x.channel->flush();
  parts_->desk->set_left();
}

void cluster_node::shut(const std::string& why) {
  for (auto& [id, x] : std::exchange(peers_, {})) {
    if (auto* link = std::exchange(x.link, nullptr))
      link->cut(why);
    watches_->forget(x.channel);
    parts_->channels->erase(x.channel);
    x.channel->end(caf::exit_reason::remote_link_unreachable);
  }
  parts_->desk->set_group_nodes({});
  for (const auto& [group, nodes] : std::exchange(groups_, {}))
    for (const auto& [id, actors] : nodes)
      for (const auto& [number, member] : actors)
        parts_->names->remote_member_gone(group, id.name, member);
  for (const auto& name : std::exchange(shown_names_, {}))
    parts_->names->cluster_name_free(name, now());
}

// -- effects ----------------------------------------------------------------------------------

void cluster_node::apply() {
  if (std::exchange(applying_, true))
    return; // the call that runs goes on until nothing is left
  for (auto effects = core_->take_effects();; effects = core_->take_effects()) {
    const auto nothing = effects.frames.empty() && effects.cut.empty() && effects.members.empty() &&
                         effects.names.empty() && effects.replica.empty() && effects.groups.empty();
    if (nothing)
      break;
    for (auto& frame : effects.frames)
      if (auto* to = peer_of(frame.to))
        to->channel->push(frame.kind, 0, std::move(frame.body));
    for (const auto& id : effects.cut)
      cut(id, "cut by membership");
    for (const auto& event : effects.members)
      on_member(event);
    for (const auto& change : effects.replica)
      on_replica(change);
    for (const auto& outcome : effects.names)
      on_name(outcome);
    for (const auto& change : effects.groups)
      on_group(change);
  }
  applying_ = false;
  if (std::exchange(groups_changed_, false))
    update_groups();
  if (std::exchange(members_changed_, false))
    report_view();
}

void cluster_node::on_member(const member_event& event) {
  const auto& id = event.member;
  members_changed_ = true;
  if (id != own_ || event.change == member_change::declared_down)
    parts_->log->info(speaker(), "node " + to_string(id) + " " + to_string(event.change));
  if (event.change == member_change::joined)
    peer_of(id); // handles of its actors may come in messages of others
  if (event.change == member_change::declared_down)
    declared_down_ = true;
  else if (event.change == member_change::lost)
    give_up(id);
  else if (event.change == member_change::leaving)
    if (const auto found = peers_.find(id); found != peers_.end())
      found->second.channel->announce_leave();
}

void cluster_node::give_up(const member_id& id) {
  const auto found = peers_.find(id);
  if (found == peers_.end())
    return;
  const auto gone = std::move(found->second);
  peers_.erase(found);
  if (gone.link)
    gone.link->cut("the node was given up");
  watches_->forget(gone.channel);
  parts_->channels->erase(gone.channel);
  const auto* record = core_->members().table().find(id);
  const bool announced = record != nullptr && (record->state == member_state::left ||
                                               record->state == member_state::leaving);
  gone.channel->end(announced ? caf::make_error(errc::node_left, id.name)
                              : caf::error{caf::exit_reason::remote_link_unreachable});
}

void cluster_node::cut(const member_id& id, const std::string& why) {
  auto* known = peer_of(id);
  if (known == nullptr || known->link == nullptr)
    return;
  parts_->context->counters.links_lost.add();
  parts_->log->info(speaker(), "link to " + to_string(id) + " cut: " + why);
  std::exchange(known->link, nullptr)->cut(why);
  watches_->forget(known->channel);
  core_->link_down(id, now());
}

// -- names and groups ---------------------------------------------------------------------------

caf::strong_actor_ptr cluster_node::handle_of(const member_id& node, caf::actor_id actor,
                                              const std::string& name) {
  if (node == own_)
    return parts_->desk->claimant(name, actor);
  auto* known = peer_of(node);
  return known != nullptr ? known->channel->proxy(actor) : nullptr;
}

void cluster_node::on_replica(const name_replica_change& change) {
  const auto& entry = change.entry;
  const auto holder = change.free ? nullptr : handle_of(entry.holder, entry.actor, entry.name);
  if (holder) {
    shown_names_.insert(entry.name);
    parts_->names->cluster_name_held(entry.name, holder, entry.holder.name, entry.epoch, now());
    return;
  }
  shown_names_.erase(entry.name);
  parts_->names->cluster_name_free(entry.name, now());
  if (change.free && !leaving_)
    for (const auto actor : parts_->desk->standing_by(entry.name))
      core_->want_name(entry.name, actor, now());
}

void cluster_node::on_name(const name_outcome& outcome) {
  if (outcome.what == name_outcome::kind::granted) {
    parts_->desk->answered(outcome.name, outcome.actor, {});
    return;
  }
  const auto why =
      caf::make_error(outcome.why, outcome.winner.name.empty()
                                       ? outcome.name
                                       : outcome.name + " is held on " + outcome.winner.name);
  const auto holder = parts_->desk->claimant(outcome.name, outcome.actor);
  const auto over = parts_->desk->answered(outcome.name, outcome.actor, why);
  if (outcome.what != name_outcome::kind::lost || !holder)
    return;
  parts_->log->warning(speaker(), "name lost: " + describe(why));
  if (over)
    parts_->names->forget_claim(outcome.name, holder->address());
  holder->enqueue(nullptr, caf::make_message_id(),
                  caf::make_message(name_lost{outcome.name, outcome.winner.name, why}),
                  parts_->context->loop);
}

cluster_node::peer* cluster_node::peer_of(const member_id& id) {
  const auto found = peers_.find(id);
  if (found != peers_.end())
    return &found->second;
  const auto* record = core_->members().table().find(id);
  if (record == nullptr || record->gone() || id == own_ || core_->members().lost(id))
    return nullptr;
  caf::node_id node;
  if (parse(record->caf_node, node))
    return nullptr;
  auto channel = std::make_shared<peer_channel>(parts_->context, id, node);
  parts_->channels->put(channel);
  return &peers_.emplace(id, peer{std::move(channel), nullptr}).first->second;
}

} // namespace caf_app

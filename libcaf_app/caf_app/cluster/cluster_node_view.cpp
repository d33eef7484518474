// What the cluster layer shows: members of groups on other nodes, and the view for tools.
#include "caf_app/cluster/cluster_node.hpp"

namespace caf_app {

void cluster_node::on_group(const group_change& change) {
  if (change.node == own_)
    return; // the registry knows
  auto* known = peer_of(change.node);
  groups_changed_ = true;
  auto& actors = groups_[change.group][change.node];
  if (change.joined) {
    if (known == nullptr)
      return;
    const auto& handle = actors[change.actor] = known->channel->proxy(change.actor);
    parts_->names->remote_member(change.group, change.node.name, handle);
  } else if (const auto gone = actors.extract(change.actor)) {
    parts_->names->remote_member_gone(change.group, change.node.name, gone.mapped());
  }
}

void cluster_node::update_groups() {
  std::map<std::string, std::vector<peer_channel_ptr>> nodes;
  for (auto group = groups_.begin(); group != groups_.end();) {
    std::erase_if(group->second, [](const auto& x) { return x.second.empty(); });
    for (const auto& [id, actors] : group->second)
      if (auto* known = peer_of(id))
        nodes[group->first].push_back(known->channel);
    group = group->second.empty() ? groups_.erase(group) : std::next(group);
  }
  parts_->desk->set_group_nodes(std::move(nodes));
}

void cluster_node::report_view() {
  cluster_view view;
  view.own = own_.name;
  const auto& members = core_->members();
  view.quorate = members.quorate(now());
  for (const auto& [id, record] : members.table().records()) {
    node_info info;
    info.record = record;
    info.linked = members.linked_to(id);
    info.coordinator = members.supports() == id;
    info.health = id == own_              ? "self"
                  : record.gone()         ? "gone"
                  : members.lost(id)      ? "lost"
                  : members.suspected(id) ? "suspect"
                                          : "reachable";
    if (const auto found = peers_.find(id); found != peers_.end()) {
      info.queued_bytes = found->second.channel->queued();
      info.pending_requests = found->second.channel->pending();
    }
    view.nodes.push_back(std::move(info));
  }
  parts_->desk->set_view(std::move(view));
}

} // namespace caf_app

#include "caf_app/cluster/cluster_groups.hpp"

namespace caf_app {

// -- local members ----------------------------------------------------------------------

void cluster_groups::join(const std::string& group, uint64_t actor) {
  if (insert(own_, group, actor))
    tell(group_op::join, group, actor);
}

void cluster_groups::leave(const std::string& group, uint64_t actor) {
  if (erase(own_, group, actor))
    tell(group_op::leave, group, actor);
}

void cluster_groups::forget(uint64_t actor) {
  std::vector<std::string> names;
  for (const auto& [group, actors] : by_node_[own_])
    if (actors.count(actor) != 0)
      names.push_back(group);
  for (const auto& group : names)
    leave(group, actor);
}

void cluster_groups::tell(group_op op, const std::string& group, uint64_t actor) {
  for (const auto& peer : linked_)
    messages_.emplace_back(peer, groups_body{op, {{group, {actor}}}});
}

// -- peers ------------------------------------------------------------------------------

void cluster_groups::link_up(const member_id& peer) {
  linked_.insert(peer);
  groups_body all{group_op::sync, {}};
  for (const auto& [group, actors] : by_node_[own_])
    all.groups.emplace_back(group, std::vector<uint64_t>{actors.begin(), actors.end()});
  messages_.emplace_back(peer, std::move(all));
}

void cluster_groups::lost(const member_id& peer) {
  linked_.erase(peer);
  replace(peer, {group_op::sync, {}});
  by_node_.erase(peer);
}

void cluster_groups::on_groups(const member_id& from, const groups_body& body) {
  if (linked_.count(from) == 0)
    return; // its full list comes first on every link
  if (body.op == group_op::sync)
    return replace(from, body);
  for (const auto& [group, actors] : body.groups)
    for (const auto actor : actors)
      body.op == group_op::join ? insert(from, group, actor) : erase(from, group, actor);
}

void cluster_groups::replace(const member_id& node, const groups_body& body) {
  groups told;
  for (const auto& [group, actors] : body.groups)
    told[group].insert(actors.begin(), actors.end());
  const auto before = by_node_[node];
  for (const auto& [group, actors] : before)
    for (const auto actor : actors)
      if (told[group].count(actor) == 0)
        erase(node, group, actor);
  for (const auto& [group, actors] : told)
    for (const auto actor : actors)
      insert(node, group, actor);
}

bool cluster_groups::insert(const member_id& node, const std::string& group, uint64_t actor) {
  if (!by_node_[node][group].insert(actor).second)
    return false;
  changes_.push_back({group, node, actor, true});
  return true;
}

bool cluster_groups::erase(const member_id& node, const std::string& group, uint64_t actor) {
  auto& groups = by_node_[node];
  const auto i = groups.find(group);
  if (i == groups.end() || i->second.erase(actor) == 0)
    return false;
  if (i->second.empty())
    groups.erase(i);
  changes_.push_back({group, node, actor, false});
  return true;
}

// -- readers ----------------------------------------------------------------------------

publish_plan cluster_groups::plan(const std::string& group) const {
  publish_plan plan;
  for (const auto& [node, groups] : by_node_) {
    const auto i = groups.find(group);
    if (i == groups.end())
      continue;
    if (node == own_)
      plan.local.assign(i->second.begin(), i->second.end());
    else
      plan.nodes.push_back(node);
  }
  return plan;
}

std::vector<group_change> cluster_groups::snapshot() const {
  std::vector<group_change> list;
  for (const auto& [node, groups] : by_node_)
    for (const auto& [group, actors] : groups)
      for (const auto actor : actors)
        list.push_back({group, node, actor, true});
  return list;
}

size_t cluster_groups::size() const { return snapshot().size(); }

} // namespace caf_app

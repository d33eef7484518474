#include "caf_app/supervision/supervision_tree.hpp"

#include <algorithm>
#include <utility>

namespace caf_app {

std::string to_string(tree_state x) {
  switch (x) {
    case tree_state::starting: return "starting";
    case tree_state::running: return "running";
    case tree_state::restarting: return "restarting";
    case tree_state::stopping: return "stopping";
    case tree_state::ended: return "ended";
    case tree_state::failed: return "failed";
  }
  return "unknown";
}

std::string join_path(std::string_view parent, std::string_view id) {
  std::string result{parent};
  if (!result.empty())
    result += '/';
  return result += id;
}

supervision_tree::supervision_tree() { nodes_.try_emplace(root); }

// -- for supervisors --------------------------------------------------------------

supervision_tree::node_id supervision_tree::add(node_id parent, std::string_view id,
                                                child_kind kind) {
  std::scoped_lock guard{mutex_};
  auto above = nodes_.find(parent);
  if (above == nodes_.end())
    above = nodes_.find(root); // its parent was replaced: shown at the top until it ends
  if (const auto old = above->second.children.find(id); old != above->second.children.end())
    remove_locked(old->second);
  const auto result = ++last_id_;
  above->second.children.emplace(std::string{id}, result);
  auto& x = nodes_[result];
  x.parent = nodes_.count(parent) != 0 ? parent : root;
  x.id = id;
  x.entry.kind = kind;
  return result;
}

void supervision_tree::set_started(node_id node, const caf::actor_addr& actor, time_point now) {
  std::scoped_lock guard{mutex_};
  if (const auto found = nodes_.find(node); found != nodes_.end()) {
    auto& x = found->second.entry;
    x.state = tree_state::running;
    x.actor_id = actor.id();
    x.address = actor;
    x.started_at = now;
  }
}

void supervision_tree::set_state(node_id node, tree_state state) {
  std::scoped_lock guard{mutex_};
  if (const auto found = nodes_.find(node); found != nodes_.end())
    found->second.entry.state = state;
}

void supervision_tree::set_ended(node_id node, tree_state state, std::string reason) {
  std::scoped_lock guard{mutex_};
  if (const auto found = nodes_.find(node); found != nodes_.end()) {
    found->second.entry.state = state;
    found->second.entry.last_end = reason.empty() ? "normal" : std::move(reason);
  }
}

void supervision_tree::set_restarts(node_id node, size_t restarts) {
  std::scoped_lock guard{mutex_};
  if (const auto found = nodes_.find(node); found != nodes_.end())
    found->second.entry.restarts = restarts;
}

void supervision_tree::remove(node_id node) {
  std::scoped_lock guard{mutex_};
  remove_locked(node);
}

void supervision_tree::retire(node_id node, retired what) {
  std::scoped_lock guard{mutex_};
  retire_locked(node, what);
}

/// @returns whether nothing is left of the node
bool supervision_tree::retire_locked(node_id id, retired what) {
  const auto found = nodes_.find(id);
  if (found == nodes_.end())
    return true;
  bool nothing_left = found->second.entry.state != tree_state::failed;
  for (const auto child : children_of(found->second))
    nothing_left &= retire_locked(child, retired::node_too);
  if (what == retired::children_only || !nothing_left)
    return false;
  remove_locked(id);
  return true;
}

bool supervision_tree::has_child(node_id parent, std::string_view id) const {
  std::scoped_lock guard{mutex_};
  const auto found = nodes_.find(parent);
  return found != nodes_.end() && found->second.children.count(id) != 0;
}

std::optional<supervision_tree::node_id> supervision_tree::find_node(std::string_view path) const {
  std::scoped_lock guard{mutex_};
  return find_locked(path);
}

void supervision_tree::remove_locked(node_id id) {
  const auto found = nodes_.find(id);
  if (id == root || found == nodes_.end())
    return;
  for (const auto child : children_of(found->second))
    remove_locked(child);
  if (const auto above = nodes_.find(found->second.parent); above != nodes_.end())
    above->second.children.erase(found->second.id);
  nodes_.erase(found);
}

std::optional<supervision_tree::node_id>
supervision_tree::find_locked(std::string_view path) const {
  auto at = root;
  for (bool more = !path.empty(); more;) {
    const auto slash = path.find('/');
    more = slash != path.npos;
    const auto& children = nodes_.at(at).children;
    const auto found = children.find(path.substr(0, slash));
    if (found == children.end())
      return std::nullopt;
    at = found->second;
    path.remove_prefix(more ? slash + 1 : path.size());
  }
  return at;
}

// -- for everybody ----------------------------------------------------------------

std::optional<tree_entry> supervision_tree::find(std::string_view path) const {
  std::scoped_lock guard{mutex_};
  const auto id = find_locked(path);
  if (!id || *id == root)
    return std::nullopt;
  return entry_of(nodes_.at(*id));
}

std::vector<tree_entry> supervision_tree::list(std::string_view path) const {
  std::scoped_lock guard{mutex_};
  std::vector<tree_entry> result;
  if (const auto id = find_locked(path))
    list_locked(*id, result);
  return result;
}

std::string supervision_tree::to_text(time_point now, size_t siblings_max) const {
  std::scoped_lock guard{mutex_};
  std::string result;
  for (const auto child : children_of(nodes_.at(root)))
    print_locked(child, 0, now, siblings_max, result);
  return result;
}

size_t supervision_tree::size() const {
  std::scoped_lock guard{mutex_};
  return nodes_.size() - 1;
}

tree_entry supervision_tree::entry_of(const node& x) const {
  auto result = x.entry;
  result.path = x.id;
  for (auto above = x.parent; above != root; ++result.depth) {
    const auto& parent = nodes_.at(above);
    result.path = join_path(parent.id, result.path);
    above = parent.parent;
  }
  return result;
}

std::vector<supervision_tree::node_id> supervision_tree::children_of(const node& x) const {
  std::vector<node_id> result;
  for (const auto& [name, id] : x.children)
    result.push_back(id);
  std::sort(result.begin(), result.end()); // ids grow in the order of the starts
  return result;
}

void supervision_tree::list_locked(node_id id, std::vector<tree_entry>& result) const {
  const auto& x = nodes_.at(id);
  if (id != root)
    result.push_back(entry_of(x));
  for (const auto child : children_of(x))
    list_locked(child, result);
}

void supervision_tree::print_locked(node_id id, size_t depth, time_point now, size_t siblings_max,
                                    std::string& result) const {
  const auto& x = nodes_.at(id);
  result.append(2 * depth, ' ').append(x.id);
  result += ' ' + to_string(x.entry.kind) + ' ' + to_string(x.entry.state);
  if (x.entry.actor_id != 0) {
    const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - x.entry.started_at);
    result +=
        " actor=" + std::to_string(x.entry.actor_id) + " age=" + std::to_string(age.count()) + "s";
  }
  if (x.entry.restarts != 0)
    result += " restarts=" + std::to_string(x.entry.restarts);
  if (!x.entry.last_end.empty())
    result += " last_end=\"" + x.entry.last_end + '"';
  result += '\n';
  const auto children = children_of(x);
  const auto shown = std::min(children.size(), siblings_max);
  for (size_t i = 0; i < shown; ++i)
    print_locked(children[i], depth + 1, now, siblings_max, result);
  if (shown < children.size())
    result.append(2 * depth + 2, ' ')
        .append("and " + std::to_string(children.size() - shown) + " more\n");
}

} // namespace caf_app

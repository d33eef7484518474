#include "caf_app/cluster/cluster_desk.hpp"

#include <algorithm>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/cluster_node.hpp"
#include "caf_app/cluster/wire_message.hpp"

namespace caf_app {

cluster_desk::cluster_desk(std::shared_ptr<link_context> context) : context_(std::move(context)) {}

// The loop keeps the order of what one thread tells.
void cluster_desk::tell_node(std::function<void(cluster_node&)> what) {
  context_->loop->post([self = shared_from_this(), what = std::move(what)] {
    std::shared_ptr<cluster_node> node;
    {
      const std::scoped_lock guard{self->mutex_};
      node = self->node_.lock();
    }
    if (node)
      what(*node);
  });
}

// -- claims -----------------------------------------------------------------------------

void cluster_desk::claim(const std::string& name, const caf::strong_actor_ptr& holder,
                         claim_mode mode, claim_result done) {
  context_->exposed.expose(holder);
  {
    const std::scoped_lock guard{mutex_};
    auto& entry = claims_[{name, holder->id()}];
    entry.holder = holder;
    entry.mode = mode;
    if (!entry.held) {
      entry.done.push_back(std::move(done));
      done = nullptr;
    }
  }
  if (done)
    return done({}); // it holds the name already
  tell_node([name, id = holder->id()](cluster_node& node) { node.want(name, id); });
}

void cluster_desk::release(const std::string& name, caf::actor_id holder) {
  caf::strong_actor_ptr last; // dropped after the lock
  std::vector<claim_result> unanswered;
  {
    const std::scoped_lock guard{mutex_};
    const auto found = claims_.find({name, holder});
    if (found == claims_.end())
      return;
    last = std::move(found->second.holder);
    unanswered = std::move(found->second.done);
    claims_.erase(found);
  }
  tell_node([name, holder](cluster_node& node) { node.release(name, holder); });
  for (const auto& done : unanswered)
    done(caf::make_error(errc::noproc, std::string{"released before it was granted"}));
}

caf::strong_actor_ptr cluster_desk::claimant(const std::string& name, caf::actor_id holder) const {
  const std::scoped_lock guard{mutex_};
  const auto found = claims_.find({name, holder});
  return found == claims_.end() ? nullptr : found->second.holder;
}

bool cluster_desk::answered(const std::string& name, caf::actor_id holder, const caf::error& why) {
  std::vector<claim_result> answers;
  caf::strong_actor_ptr last; // dropped after the lock
  bool over = false;
  {
    const std::scoped_lock guard{mutex_};
    const auto found = claims_.find({name, holder});
    if (found == claims_.end())
      return true;
    auto& entry = found->second;
    entry.held = !why;
    entry.waits = why && entry.mode == claim_mode::standby;
    if (entry.waits)
      return false;
    answers = std::exchange(entry.done, {});
    over = static_cast<bool>(why);
    if (over) {
      last = std::move(entry.holder);
      claims_.erase(found);
    }
  }
  for (const auto& done : answers)
    done(why);
  return over;
}

std::vector<caf::actor_id> cluster_desk::standing_by(const std::string& name) const {
  std::vector<caf::actor_id> result;
  const std::scoped_lock guard{mutex_};
  for (auto i = claims_.lower_bound({name, 0}); i != claims_.end() && i->first.first == name; ++i)
    if (i->second.waits)
      result.push_back(i->first.second);
  return result;
}

std::vector<std::pair<std::string, caf::actor_id>> cluster_desk::standing_by() const {
  std::vector<std::pair<std::string, caf::actor_id>> result;
  const std::scoped_lock guard{mutex_};
  for (const auto& [key, entry] : claims_)
    if (entry.waits)
      result.push_back(key);
  return result;
}

// -- groups -------------------------------------------------------------------------------

void cluster_desk::joined(const std::string& group, const caf::strong_actor_ptr& member) {
  context_->exposed.expose(member);
  const auto id = member->id();
  {
    const std::scoped_lock guard{mutex_};
    members_.insert({group, id});
  }
  tell_node([group, id](cluster_node& node) { node.join(group, id); });
}

void cluster_desk::left(const std::string& group, caf::actor_id member) {
  {
    const std::scoped_lock guard{mutex_};
    members_.erase({group, member});
  }
  tell_node([group, member](cluster_node& node) { node.leave_group(group, member); });
}

size_t cluster_desk::publish(const std::string& group, const caf::message& content) {
  std::shared_ptr<const group_nodes> nodes;
  {
    const std::scoped_lock guard{mutex_};
    nodes = group_nodes_;
  }
  const auto found = nodes->find(group);
  if (found == nodes->end())
    return 0;
  std::string body;
  append_body(body, publish_head{group, 0});
  if (write_message(context_->system.dummy_execution_unit(), content, body)) {
    context_->counters.sends_dropped.add();
    return 0;
  }
  size_t count = 0;
  for (const auto& channel : found->second)
    count += channel->push(frame_kind::message, to_group_flag, body) ? 1 : 0;
  return count;
}

void cluster_desk::set_group_nodes(group_nodes nodes) {
  auto fresh = std::make_shared<const group_nodes>(std::move(nodes));
  const std::scoped_lock guard{mutex_};
  group_nodes_.swap(fresh);
}

// -- lives ----------------------------------------------------------------------------------

void cluster_desk::attach(const std::shared_ptr<cluster_node>& node) {
  std::vector<claim_key> wanted;
  std::set<std::pair<std::string, caf::actor_id>> members;
  bool leaving = false;
  {
    const std::scoped_lock guard{mutex_};
    node_ = node;
    for (auto& [key, entry] : claims_) {
      entry.held = entry.waits = false;
      wanted.push_back(key);
    }
    members = members_;
    leaving = leaving_;
  }
  for (const auto& [group, id] : members)
    node->join(group, id);
  for (const auto& [name, id] : wanted)
    node->want(name, id);
  if (leaving)
    node->announce_leaving();
}

void cluster_desk::announce_leaving() {
  {
    const std::scoped_lock guard{mutex_};
    leaving_ = true;
  }
  tell_node([](cluster_node& node) { node.announce_leaving(); });
}

void cluster_desk::leave() {
  tell_node([](cluster_node& node) { node.leave(); });
}

bool cluster_desk::has_left() const {
  const std::scoped_lock guard{mutex_};
  return left_ || node_.expired();
}

void cluster_desk::set_left() {
  const std::scoped_lock guard{mutex_};
  left_ = true;
}

cluster_view cluster_desk::view() const {
  const std::scoped_lock guard{mutex_};
  return view_;
}

bool cluster_desk::has_peers() const {
  const std::scoped_lock guard{mutex_};
  return std::any_of(view_.nodes.begin(), view_.nodes.end(),
                     [](const node_info& x) { return x.linked; });
}

void cluster_desk::set_view(cluster_view view) {
  const std::scoped_lock guard{mutex_};
  view_ = std::move(view);
}

} // namespace caf_app

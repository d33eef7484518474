// A few cluster cores that are linked directly: frames arrive at once, time moves by hand. For
// tests that tell a story; tests/sim draws its stories at random.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/cluster_core.hpp"

class cluster_mesh {
public:
  using time_point = std::chrono::steady_clock::time_point;

  struct node {
    caf_app::member_record record;
    std::unique_ptr<caf_app::cluster_core> core;
    bool runs = true;
    std::vector<caf_app::member_event> events;
    std::vector<caf_app::name_outcome> outcomes;
    std::vector<caf_app::name_replica_change> changes;
  };

  /// Starts and links one node per name.
  cluster_mesh(const std::vector<std::string>& names, caf_app::quorum_mode mode)
      : voters_(names), mode_(mode) {
    for (const auto& name : names)
      start(name);
  }

  /// Starts a (further) life of `name` and links it to all that run.
  void start(const std::string& name) {
    std::set<std::string> all;
    for (const auto& [other, m] : nodes_)
      all.insert(other);
    start(name, all);
  }

  /// Starts a (further) life of `name` and links it to those of `others` that run.
  void start(const std::string& name, const std::set<std::string>& others) {
    auto& n = nodes_[name];
    n = {};
    n.record.id = {name, {++lives_, lives_}};
    n.record.address = name + ":1";
    caf_app::cluster_core::options opts;
    opts.members.own = n.record;
    opts.members.voters = voters_;
    opts.members.mode = mode_;
    n.core = std::make_unique<caf_app::cluster_core>(opts, now_);
    for (auto& [other, m] : nodes_)
      if (other != name && m.runs && others.count(other) != 0)
        link(name, other);
  }

  /// The process dies: its links close, nothing more comes from it.
  void kill(const std::string& name) {
    for (auto& [other, m] : nodes_)
      if (other != name)
        unlink(name, other);
    nodes_.at(name).runs = false;
  }

  /// Neither frames nor ticks, links stay: SIGSTOP.
  void freeze(const std::string& name) { nodes_.at(name).runs = false; }
  void thaw(const std::string& name) { nodes_.at(name).runs = true; }

  void link(const std::string& a, const std::string& b) {
    auto& x = nodes_.at(a);
    auto& y = nodes_.at(b);
    if (x.core->admit(y.record.id, now_).why != caf_app::refusal::none ||
        y.core->admit(x.record.id, now_).why != caf_app::refusal::none)
      return;
    links_.insert(std::minmax(a, b));
    x.core->link_up(y.record, now_);
    y.core->link_up(x.record, now_);
    settle();
  }

  void unlink(const std::string& a, const std::string& b) {
    if (links_.erase(std::minmax(a, b)) == 0)
      return;
    nodes_.at(a).core->link_down(nodes_.at(b).record.id, now_);
    nodes_.at(b).core->link_down(nodes_.at(a).record.id, now_);
    settle();
  }

  void run_for(std::chrono::milliseconds how_long) {
    for (const auto end = now_ + how_long; now_ < end;) {
      now_ += std::chrono::milliseconds{100};
      for (auto& [name, n] : nodes_)
        if (n.runs)
          n.core->tick(now_);
      settle();
    }
  }

  /// Delivers what waits until nobody has anything to say.
  void settle() {
    bool again = true;
    while (std::exchange(again, false))
      for (auto& [name, n] : nodes_)
        if (n.runs)
          again = deliver(name, n) || again;
  }

  node& at(const std::string& name) { return nodes_.at(name); }
  caf_app::cluster_core& core(const std::string& name) { return *nodes_.at(name).core; }
  time_point now() const { return now_; }

  bool saw(const std::string& name, const std::string& other, caf_app::member_change change) {
    for (const auto& e : nodes_.at(name).events)
      if (e.member.name == other && e.change == change)
        return true;
    return false;
  }

private:
  bool linked(const std::string& a, const std::string& b) const {
    return links_.count(std::minmax(a, b)) != 0;
  }

  bool deliver(const std::string& name, node& n) {
    auto effects = n.core->take_effects();
    for (auto& f : effects.frames) {
      auto& to = nodes_.at(f.to.name);
      if (linked(name, f.to.name) && to.record.id == f.to && to.runs)
        to.core->on_frame(n.record.id, f.kind, f.body, now_);
    }
    n.events.insert(n.events.end(), effects.members.begin(), effects.members.end());
    n.outcomes.insert(n.outcomes.end(), effects.names.begin(), effects.names.end());
    n.changes.insert(n.changes.end(), effects.replica.begin(), effects.replica.end());
    for (const auto& id : effects.cut)
      if (nodes_.at(id.name).record.id == id)
        unlink(name, id.name);
    return !effects.frames.empty();
  }

  std::vector<std::string> voters_;
  caf_app::quorum_mode mode_;
  std::map<std::string, node> nodes_;
  std::set<std::pair<std::string, std::string>> links_;
  time_point now_{std::chrono::hours{1}};
  uint64_t lives_ = 0;
};

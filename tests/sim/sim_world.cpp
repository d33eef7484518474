#include "sim_world.hpp"

#include <iostream>

namespace sim {

using namespace caf_app;

namespace {

const duration tick_every{100};

} // namespace

world::world(const world_options& opts)
    : opts_(opts), random_(opts.seed), now_(std::chrono::hours{1000}) {
  // One in five worlds has two nodes and no quorum.
  const size_t voters = opts.seed % 5 == 0 ? 2 : 3 + pick(3);
  mode_ = voters == 2 ? quorum_mode::none : quorum_mode::majority;
  const size_t instances = pick(3) == 0 ? 1 : 0;
  delay_max_ = 5 + pick(120);
  nodes_.resize(voters + instances);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    auto& n = nodes_[i];
    n.index = i;
    n.name = i < voters ? std::string{"n"} + static_cast<char>('a' + i) : std::string{"na.1"};
    n.offset = std::chrono::seconds{pick(1'000'000)};
    if (i < voters)
      voters_.push_back(n.name);
  }
  for (auto& n : nodes_)
    at(now_ + duration{pick(3000)}, [this, &n] { start_node(n); });
  const std::function<void()> again = [this] {
    if (faults_)
      fault();
    if (work_)
      work();
  };
  for (int i = 1; i < 2000; ++i)
    at(now_ + i * duration{100}, again);
}

void world::at(time_point when, std::function<void()> run) {
  events_.push({when, ++event_number_, std::move(run)});
}

bool world::run_for(duration how_long) {
  const auto end = now_ + how_long;
  while (failure_.empty() && !events_.empty() && events_.top().at <= end) {
    auto next = events_.top();
    events_.pop();
    now_ = next.at;
    next.run();
    check();
  }
  now_ = end;
  return failure_.empty();
}

void world::start_node(node& n) {
  if (n.alive)
    return;
  n.alive = true;
  ++n.boots;
  n.frozen = false;
  n.actors.clear();
  n.groups.clear();
  begin_life(n);
  tick(n);
}

void world::begin_life(node& n) {
  n.record = {};
  n.record.id = {n.name, {random_() | 1, random_()}};
  n.record.address = n.name + ":1";
  n.record.caf_node = to_string(n.record.id.life);
  cluster_core::options opts;
  opts.members.own = n.record;
  opts.members.voters = voters_;
  opts.members.mode = opts_.without_quorum ? quorum_mode::none : mode_;
  n.core = std::make_unique<cluster_core>(opts, n.local(now_));
  n.watches = {};
  n.wanted.clear();
  n.dials.clear();
  n.rejoin = false;
  for (const auto& [group, actor] : n.groups)
    n.core->join_group(group, actor);
  trace("begins " + to_string(n.record.id));
}

// The node itself goes on: its watches end, its actors live.
void world::end_life(node& n) {
  ++probes_["declared down"];
  trace("declared down " + to_string(n.record.id));
  for (auto& [ref, w] : watches_)
    if (w.owner == n.index && w.owner_life == n.record.id && w.downs == 0)
      count_down(ref);
  while (!n.links.empty())
    close_link(n, n.links.begin()->first);
  begin_life(n);
}

void world::kill_node(node& n, duration restart_after) {
  trace("dies " + to_string(n.record.id));
  while (!n.links.empty())
    close_link(n, n.links.begin()->first);
  n.alive = false;
  n.core.reset();
  at(now_ + restart_after, [this, &n] { start_node(n); });
}

void world::tick(node& n) {
  if (!n.alive)
    return;
  if (!n.frozen) {
    n.core->tick(n.local(now_));
    apply(n);
    dial_peers(n);
  }
  at(now_ + tick_every, [this, &n, boot = n.boots] {
    if (n.boots == boot)
      tick(n);
  });
}

void world::heal() {
  faults_ = work_ = false;
  cuts_.heal();
  trace("heals");
  for (auto& n : nodes_) {
    n.frozen = false;
    start_node(n);
  }
}

void world::fail(std::string why) {
  if (failure_.empty())
    failure_ = std::move(why);
}

void world::trace(const std::string& line) {
  if (opts_.trace)
    std::cout << (now_.time_since_epoch() / duration{1} - 3'600'000'000) << "ms " << line << '\n';
}

std::string world::summary() const {
  return std::to_string(nodes_.size()) + " nodes, " + std::to_string(grants_) + " grants, " +
         std::to_string(watches_.size()) + " watches, " + std::to_string(event_number_) + " events";
}

} // namespace sim

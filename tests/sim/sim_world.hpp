// A cluster in virtual time. Everything that happens is drawn from one seed: delays, cuts, deaths,
// pauses, and what the actors do. Checked after every event: no two nodes with a quorum hold the
// same name, no two coordinate, and no watch ends twice.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "sim_node.hpp"

namespace sim {

struct world_options {
  uint64_t seed = 1;
  bool trace = false;
  bool without_quorum = false; ///< although it is checked: such worlds have to fail
};

struct watch {
  size_t owner = 0;
  caf_app::member_id owner_life;
  caf_app::member_id target;
  uint64_t actor = 0;
  int downs = 0;
};

class world {
public:
  explicit world(const world_options& opts);

  /// Lets virtual time pass. @returns false once something is wrong
  bool run_for(duration how_long);

  /// From now on things break, or actors do something, at random.
  void start_faults() { faults_ = true; }
  void start_work() { work_ = true; }

  /// No more faults, all cuts healed, all nodes alive; actors only rest.
  void heal();

  /// Whether all nodes agree on everything, and what they agree on is true.
  bool converged();

  const std::string& failure() const noexcept { return failure_; }
  std::string summary() const;

  /// Rare paths that were taken, by name: a run of many seeds has to take them all.
  const std::map<std::string, uint64_t>& probes() const noexcept { return probes_; }

private:
  struct event {
    time_point at;
    uint64_t number;
    std::function<void()> run;
    bool operator<(const event& x) const {
      return at != x.at ? at > x.at : number > x.number; // the earliest on top
    }
  };

  // sim_world.cpp: time and nodes
  void at(time_point when, std::function<void()> run);
  void start_node(node& n);
  void kill_node(node& n, duration restart_after);
  void begin_life(node& n);
  void end_life(node& n);
  void tick(node& n);
  void fail(std::string why);
  void trace(const std::string& line);
  size_t pick(size_t n) { return static_cast<size_t>(random_() % n); }
  duration delay() { return duration{static_cast<int64_t>(1 + random_() % delay_max_)}; }

  // sim_links.cpp: connections
  void dial_peers(node& n);
  void dial(node& from, node& to);
  void meet(size_t from, size_t to);
  void join_ends(node& n, const link_ptr& l);
  void close_link(node& n, size_t peer);
  void send(node& n, const caf_app::member_id& to, caf_app::frame_kind kind, std::string body);
  void post(const link_ptr& l, size_t to, packet p);
  void schedule(const link_ptr& l, size_t to);
  void deliver(const link_ptr& l, size_t to);
  void on_packet(node& n, const link_ptr& l, const packet& p);
  void apply(node& n);
  node* find(const std::string& name);

  // sim_faults.cpp: what goes wrong, and what actors do
  void fault();
  void work();
  void watch_something(node& n);
  void end_actor(node& n, uint64_t actor);
  void count_down(uint64_t ref);
  void check();
  bool agree(std::string& why);
  bool check_watches(std::string& why);

  world_options opts_;
  std::mt19937_64 random_;
  uint64_t delay_max_ = 50; // milliseconds
  caf_app::quorum_mode mode_ = caf_app::quorum_mode::majority;
  std::vector<std::string> voters_;
  std::vector<node> nodes_;
  cuts cuts_;
  std::priority_queue<event> events_;
  time_point now_;
  uint64_t event_number_ = 0;
  bool faults_ = false;
  bool work_ = false;
  uint64_t next_actor_ = 0;
  uint64_t next_ref_ = 0;
  std::map<uint64_t, watch> watches_;
  std::map<std::string, uint64_t> probes_;
  uint64_t grants_ = 0;
  std::string failure_;
};

} // namespace sim

// The side of cluster names that runs on the active coordinator. Each time a node becomes active a
// term begins: it asks every member what it holds and grants nothing until each has answered, or is
// gone so surely that it cannot act any more. Names are soft state of their holders' nodes, so a
// term needs nothing from the one before.
//
// When is a member gone that surely? It is down, a majority has told that it knows so, and since
// then a lease has run out: nobody acknowledges the heartbeats of a member that is down, so by then
// it knows that it has no quorum. A grant of a former coordinator can be under way for a lease,
// too; so long no term grants, unless the majority knows of no former coordinator but those that
// have announced that they leave. A member that leaves has given its names back before it said so,
// and needs no asking. Without quorum there is no such certainty; what two sides of a split have
// granted is settled when they meet: the higher epoch wins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "caf_app/cluster/membership.hpp"
#include "caf_app/cluster/name_messages.hpp"

namespace caf_app {

/// Runs on every node; grants nothing while another one coordinates.
class name_coordinator {
public:
  using clock = membership::clock;

  /// How long it waits for those that may still believe in another coordinator.
  struct options {
    clock::duration lease = limits::cluster::lease;
    clock::duration ask_interval = std::chrono::milliseconds{200};
  };

  explicit name_coordinator(options opts) : opts_(opts) {}

  /// A body from a member; the node itself is one.
  void on_names(const member_id& from, const names_body& body, const membership& members,
                clock::time_point now);

  /// After every change of the membership, and often.
  void step(const membership& members, clock::time_point now);

  /// The link to `peer` was replaced: what it was sent may be lost.
  void link_up(const member_id& peer) { stale_.insert(peer); }

  /// Whether names are granted in this term.
  bool granting() const noexcept { return granting_; }

  /// Bodies for members; some for the node itself.
  std::vector<std::pair<member_id, names_body>> take_messages() {
    return std::exchange(messages_, {});
  }

private:
  /// A member on its way out.
  struct ending {
    uint64_t version = 0; // of the table of members in which it was gone first
    bool announced = false;
    std::optional<clock::time_point> confirmed_at; // a majority knew
  };

  void begin_term(const membership& members, clock::time_point now);
  void end_term();
  void ask_for_claims(const membership& members, clock::time_point now);
  void check_gone(const membership& members, clock::time_point now);
  bool all_known(const membership& members, clock::time_point now) const;
  bool nobody_before(const membership& members) const;
  void begin_granting(const membership& members);
  void on_claims(const member_id& from, const names_body& body);
  void merge_held(const name_entry& entry);
  void keep_only(const member_id& from, const std::vector<name_entry>& claimed);
  void on_claim(const name_entry& wanted);
  void on_release(const name_entry& entry);
  void grant_waiting(const membership& members);
  void drop_names_of(const member_id& holder);
  bool on_its_way_out(const member_id& holder) const;
  void tell_all(name_op op, const name_entry& entry);
  void tell(const member_id& to, name_op op, std::vector<name_entry> entries);
  void send_table(const member_id& to);

  options opts_;
  bool active_ = false;
  bool granting_ = false;
  uint64_t token_ = 0;
  uint64_t terms_ = 0;
  clock::time_point term_began_;
  clock::time_point next_ask_;
  uint64_t epoch_ = 0; // highest that was ever seen
  std::map<std::string, name_entry> table_;
  std::map<std::string, std::vector<name_entry>> wanted_; // by name, first come first
  std::set<member_id> synced_;                            // have told all they hold, in this term
  std::set<member_id> stale_;                             // have to tell again
  std::set<member_id> members_;                           // who gets changes
  uint64_t members_version_ = 0;                          // of the table of members, last looked at
  std::map<member_id, ending> ending_;                    // gone, but not yet that surely
  std::set<member_id> gone_;                              // surely; those that are remembered
  std::vector<std::pair<member_id, names_body>> messages_;
};

} // namespace caf_app

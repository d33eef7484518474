#include "actors/scaler/worker_slots.hpp"

#include <algorithm>

namespace caf_app::scaler {

namespace {

struct slot_kind {
  const char* name;
  uint64_t in_flight;
  uint64_t connections; // what the policy looks at next when it picks a victim
};

constexpr slot_kind at_work{"busy", 1, 0};
constexpr slot_kind bound{"bound", 0, 2};
constexpr slot_kind unbound{"unbound", 0, 1};
constexpr slot_kind vacant{"free", 0, 0};

} // namespace

std::vector<instance_fact> worker_slots::look(const worker_counts& workers) {
  std::vector<const slot_kind*> kinds;
  kinds.insert(kinds.end(), workers.busy + workers.starting, &at_work);
  kinds.insert(kinds.end(), workers.bound, &bound);
  kinds.insert(kinds.end(), workers.unbound, &unbound);
  if (kinds.size() < workers.max)
    kinds.resize(workers.max, &vacant);
  const auto known = std::min(known_.value_or(workers.max), workers.max);
  known_ = workers.max;
  std::vector<instance_fact> result;
  for (size_t i = 0; i < kinds.size(); ++i) {
    instance_fact fact;
    fact.name = kinds[i]->name;
    fact.number = static_cast<unsigned>(i + 1);
    fact.state = i >= workers.max ? instance_state::draining
                 : i >= known     ? instance_state::starting
                                  : instance_state::ready;
    fact.listens = false; // a larger number of slots takes it back by itself
    fact.in_flight = kinds[i]->in_flight;
    fact.connections = kinds[i]->connections;
    result.push_back(std::move(fact));
  }
  return result;
}

} // namespace caf_app::scaler

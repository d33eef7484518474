#include "actors/eval/worker_pool.hpp"

#include <algorithm>

namespace caf_app::eval {

namespace {

size_t share_of(double share, size_t whole) {
  return std::max<size_t>(1, static_cast<size_t>(share * static_cast<double>(whole)));
}

} // namespace

size_t worker_pool::queue_share() const {
  return share_of(options_.tenant_share, options_.queue_max);
}

size_t worker_pool::worker_share() const {
  return share_of(options_.tenant_share, options_.workers);
}

/// That no call has: fewer workers may be allowed than are at work.
size_t worker_pool::free_places() const {
  return options_.workers > busy_ ? options_.workers - busy_ : 0;
}

bool worker_pool::others_wait(const std::string& than) const {
  return std::any_of(tenants_.begin(), tenants_.end(), [&](auto& entry) {
    return entry.first != than && !entry.second.queue.empty();
  });
}

worker_pool::admission worker_pool::submit(call what, std::vector<uint64_t>& displaced) {
  const auto known = tenants_.find(what.tenant);
  const auto mine = known == tenants_.end() ? 0 : known->second.queue.size();
  if (mine >= queue_share() && others_wait(what.tenant))
    return admission::tenant_full;
  // Places that no call has yet are for those at the front of the queue: they do not count.
  if (waiting_ >= options_.queue_max + free_places()) {
    if (mine >= queue_share())
      return admission::queue_full;
    const auto greediest = std::max_element(tenants_.begin(), tenants_.end(), [](auto& a, auto& b) {
      return a.second.queue.size() < b.second.queue.size();
    });
    if (greediest == tenants_.end() || greediest->second.queue.size() <= queue_share())
      return admission::queue_full;
    displaced.push_back(greediest->second.queue.back().id);
    greediest->second.queue.pop_back();
    --waiting_;
  }
  auto& tenant = tenants_[what.tenant];
  tenant.queue.push_back(std::move(what));
  ++waiting_;
  return admission::waits;
}

// The tenant with the fewest workers; among equals the one after `last_served_`, round and round.
worker_pool::tenant_map::iterator worker_pool::pick() {
  auto best = tenants_.end();
  const auto look_at = [&](tenant_map::iterator from, tenant_map::iterator to) {
    for (; from != to; ++from)
      if (const auto& tenant = from->second;
          !tenant.blocked && tenant.passed < tenant.queue.size() &&
          (best == tenants_.end() || tenant.claim() < best->second.claim()))
        best = from;
  };
  const auto after = tenants_.upper_bound(last_served_);
  look_at(after, tenants_.end());
  look_at(tenants_.begin(), after);
  return best;
}

std::vector<worker_pool::step> worker_pool::next() {
  std::vector<step> result;
  if (waiting_ == 0)
    return result;
  for (auto& [name, tenant] : tenants_)
    tenant.passed = 0;
  auto coming = starting_; // workers on their way are meant for the calls at the front
  // What nobody below its share can use is left to those above it.
  for (const auto within_share : {true, false}) {
    for (auto& [name, tenant] : tenants_)
      tenant.blocked = false;
    for (auto from = pick(); from != tenants_.end(); from = pick()) {
      const auto above = from->second.claim() >= worker_share() && others_wait(from->first);
      from->second.blocked = (within_share && above) || !place(from, coming, result);
    }
  }
  for (auto i = tenants_.begin(); i != tenants_.end();)
    i = i->second.is_empty() ? tenants_.erase(i) : std::next(i);
  return result;
}

/// Does what can be done for the first call of a tenant that has not been looked at.
bool worker_pool::place(tenant_map::iterator from, std::unordered_map<std::string, size_t>& coming,
                        std::vector<step>& to) {
  auto& tenant = from->second;
  const auto at = tenant.queue.begin() + static_cast<std::ptrdiff_t>(tenant.passed);
  if (const auto idle = idle_for(*at); idle != 0) {
    run(*at, idle, to);
    last_served_ = from->first;
    tenant.queue.erase(at);
    --waiting_;
    return true;
  }
  if (auto& expected = coming[at->build]; expected > 0) {
    --expected;
    ++tenant.passed;
    return true;
  }
  if (workers_.size() >= options_.workers) {
    const auto oldest = oldest_idle();
    if (oldest == 0)
      return false;
    to.push_back({step::kind::end, 0, oldest, workers_.at(oldest).build});
    ended(oldest);
  }
  const auto id = ++last_worker_;
  workers_[id].build = at->build;
  ++starting_[at->build];
  to.push_back({step::kind::start, 0, id, at->build});
  ++tenant.passed;
  return true;
}

void worker_pool::run(const call& what, uint64_t id, std::vector<step>& to) {
  auto& worker = workers_.at(id);
  worker.key = what.key;
  worker.bound = true;
  worker.tenant = what.tenant;
  worker.what = state::busy;
  ++busy_;
  ++tenants_[what.tenant].workers;
  to.push_back({step::kind::run, what.id, id, what.build});
}

/// The idle worker of the call's key, else an unbound one of its build, else 0.
uint64_t worker_pool::idle_for(const call& what) const {
  uint64_t unbound = 0;
  for (auto& [id, worker] : workers_) {
    if (worker.what != state::idle || worker.build != what.build)
      continue;
    if (worker.bound && worker.key == what.key)
      return id;
    if (!worker.bound)
      unbound = id;
  }
  return unbound;
}

uint64_t worker_pool::oldest_idle() const {
  uint64_t oldest = 0;
  time_point since = time_point::max();
  for (auto& [id, worker] : workers_)
    if (worker.what == state::idle && worker.since < since) {
      oldest = id;
      since = worker.since;
    }
  return oldest;
}

void worker_pool::started(uint64_t worker, time_point now) {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.what != state::starting)
    return;
  no_longer_starts(found->second.build);
  found->second.what = state::idle;
  found->second.since = now;
}

void worker_pool::finished(uint64_t worker, time_point now) {
  const auto found = workers_.find(worker);
  if (found == workers_.end() || found->second.what != state::busy)
    return;
  release(found->second);
  found->second.what = state::idle;
  found->second.since = now;
}

void worker_pool::ended(uint64_t worker) {
  const auto found = workers_.find(worker);
  if (found == workers_.end())
    return;
  if (found->second.what == state::busy)
    release(found->second);
  else if (found->second.what == state::starting)
    no_longer_starts(found->second.build);
  workers_.erase(found);
}

void worker_pool::no_longer_starts(const std::string& build) {
  if (const auto found = starting_.find(build); --found->second == 0)
    starting_.erase(found);
}

void worker_pool::release(const worker& what) {
  --busy_;
  const auto owner = tenants_.find(what.tenant);
  --owner->second.workers;
  if (owner->second.is_empty())
    tenants_.erase(owner);
}

bool worker_pool::cancel(uint64_t call_id) {
  for (auto& [name, tenant] : tenants_)
    for (auto i = tenant.queue.begin(); i != tenant.queue.end(); ++i)
      if (i->id == call_id) {
        tenant.queue.erase(i);
        --waiting_;
        return true;
      }
  return false;
}

std::vector<uint64_t> worker_pool::retire(time_point now) {
  std::vector<uint64_t> result;
  for (auto& [id, worker] : workers_)
    if (worker.what == state::idle && now - worker.since >= options_.idle_timeout)
      result.push_back(id);
  for (auto id : result)
    ended(id);
  return result;
}

std::vector<uint64_t> worker_pool::trim() {
  std::vector<uint64_t> result;
  while (workers_.size() > options_.workers) {
    uint64_t victim = 0;
    for (const auto& [id, worker] : workers_)
      if (worker.what == state::idle && !worker.bound)
        victim = id;
    if (victim == 0)
      victim = oldest_idle();
    if (victim == 0)
      break;
    result.push_back(victim);
    ended(victim);
  }
  return result;
}

worker_pool::census worker_pool::count() const {
  census result;
  for (const auto& [id, worker] : workers_)
    switch (worker.what) {
      case state::starting: ++result.starting; break;
      case state::busy: ++result.busy; break;
      case state::idle: ++(worker.bound ? result.bound : result.unbound); break;
    }
  return result;
}

std::vector<uint64_t> worker_pool::retire_build(const std::string& build) {
  std::vector<uint64_t> result;
  for (auto& [id, worker] : workers_)
    if (worker.what == state::idle && worker.build == build)
      result.push_back(id);
  for (auto id : result)
    ended(id);
  return result;
}

std::vector<uint64_t> worker_pool::drop_build(const std::string& build) {
  std::vector<uint64_t> result;
  for (auto& [name, tenant] : tenants_)
    std::erase_if(tenant.queue, [&](auto& call) {
      if (call.build != build)
        return false;
      result.push_back(call.id);
      return true;
    });
  waiting_ -= result.size();
  return result;
}

size_t worker_pool::workers_of(const std::string& build) const {
  return static_cast<size_t>(std::count_if(
      workers_.begin(), workers_.end(), [&](auto& entry) { return entry.second.build == build; }));
}

size_t worker_pool::waiting_of(const std::string& build) const {
  size_t result = 0;
  for (auto& [name, tenant] : tenants_)
    result += static_cast<size_t>(std::count_if(tenant.queue.begin(), tenant.queue.end(),
                                                [&](auto& call) { return call.build == build; }));
  return result;
}

} // namespace caf_app::eval

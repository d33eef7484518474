#include "caf_app/cluster/watch_ledger.hpp"

#include "caf_app/base/assert.hpp"

namespace caf_app {

bool watch_ledger::watch(uint64_t ref, const member_id& node, uint64_t actor) {
  const target whom{node, actor};
  CAF_APP_ASSERT(refs_.emplace(ref, whom).second);
  auto& refs = waiting_[whom];
  refs.insert(ref);
  return refs.size() == 1;
}

std::pair<bool, std::pair<member_id, uint64_t>> watch_ledger::unwatch(uint64_t ref) {
  const auto i = refs_.find(ref);
  if (i == refs_.end())
    return {};
  const auto whom = i->second;
  refs_.erase(i);
  const auto w = waiting_.find(whom);
  w->second.erase(ref);
  const bool last = w->second.empty();
  if (last)
    waiting_.erase(w);
  return {last, whom};
}

std::vector<uint64_t> watch_ledger::on_down(const member_id& node, uint64_t actor) {
  const auto w = waiting_.find({node, actor});
  if (w == waiting_.end())
    return {};
  const std::vector<uint64_t> ended{w->second.begin(), w->second.end()};
  for (const auto ref : ended)
    refs_.erase(ref);
  waiting_.erase(w);
  return ended;
}

std::vector<uint64_t> watch_ledger::lost(const member_id& node) {
  std::vector<uint64_t> ended;
  for (const auto actor : watched_on(node))
    for (const auto ref : on_down(node, actor))
      ended.push_back(ref);
  forget(node);
  return ended;
}

std::vector<uint64_t> watch_ledger::watched_on(const member_id& node) const {
  std::vector<uint64_t> actors;
  for (auto w = waiting_.lower_bound({node, 0}); w != waiting_.end() && w->first.first == node; ++w)
    actors.push_back(w->first.second);
  return actors;
}

bool watch_ledger::on_monitor(const member_id& node, uint64_t actor) {
  auto& nodes = watchers_[actor];
  nodes.insert(node);
  return nodes.size() == 1;
}

void watch_ledger::on_demonitor(const member_id& node, uint64_t actor) {
  const auto w = watchers_.find(actor);
  if (w == watchers_.end())
    return;
  w->second.erase(node);
  if (w->second.empty())
    watchers_.erase(w);
}

std::vector<member_id> watch_ledger::ended(uint64_t actor) {
  const auto w = watchers_.find(actor);
  if (w == watchers_.end())
    return {};
  const std::vector<member_id> nodes{w->second.begin(), w->second.end()};
  watchers_.erase(w);
  return nodes;
}

void watch_ledger::forget(const member_id& node) {
  for (auto w = watchers_.begin(); w != watchers_.end();) {
    w->second.erase(node);
    w = w->second.empty() ? watchers_.erase(w) : std::next(w);
  }
}

} // namespace caf_app

#include "caf_app/registry/group_table.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace caf_app {

bool group_table::insert(std::string_view name, const caf::strong_actor_ptr& member) {
  auto found = groups_.find(name);
  if (found == groups_.end())
    found = groups_.emplace(std::string{name}, group{}).first;
  auto& x = found->second;
  if (!x.index.emplace(member.get(), x.members->size()).second)
    return false;
  writable(x).push_back(member);
  return true;
}

bool group_table::erase(std::string_view name, const caf::actor_control_block* member) {
  const auto found = groups_.find(name);
  if (found == groups_.end())
    return false;
  auto& x = found->second;
  const auto entry = x.index.find(member);
  if (entry == x.index.end())
    return false;
  const auto at = entry->second;
  x.index.erase(entry);
  auto& members = writable(x);
  if (at + 1 != members.size()) {
    members[at].swap(members.back());
    x.index[members[at].get()] = at;
  }
  members.pop_back();
  if (members.empty())
    groups_.erase(found);
  return true;
}

group_table::view group_table::members(std::string_view name) const {
  const auto found = groups_.find(name);
  return found != groups_.end() ? found->second.members : nullptr;
}

std::vector<group_info> group_table::list(std::string_view prefix) const {
  std::vector<group_info> result;
  for (const auto& [name, x] : groups_) {
    if (!std::string_view{name}.starts_with(prefix))
      continue;
    auto& line = result.emplace_back();
    line.group = name;
    for (const auto& member : *x.members)
      line.members.push_back(member->id());
    std::sort(line.members.begin(), line.members.end());
  }
  std::sort(result.begin(), result.end(),
            [](const group_info& a, const group_info& b) { return a.group < b.group; });
  return result;
}

group_table::member_list& group_table::writable(group& x) {
  if (x.members.use_count() == 1)
    std::atomic_thread_fence(std::memory_order_acquire); // with the release of the last view
  else
    x.members = std::make_shared<member_list>(*x.members);
  return *x.members;
}

} // namespace caf_app

#include "caf_app/registry/name_table.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "caf_app/base/limits.hpp"

namespace caf_app {

std::string why_invalid_name(std::string_view name) {
  if (name.empty() || name.size() > limits::registry::name_bytes_max)
    return "a name has 1 to " + std::to_string(limits::registry::name_bytes_max) + " bytes, this " +
           std::to_string(name.size());
  const auto bad = std::find_if(name.begin(), name.end(),
                                [](unsigned char c) { return c <= ' ' || c > '~' || c == '/'; });
  if (bad == name.end())
    return {};
  return "byte " + std::to_string(bad - name.begin()) +
         " of the name is not printable ASCII other than blank and '/'";
}

bool name_table::insert(std::string_view name, caf::strong_actor_ptr holder, time_point since) {
  const auto hash = hash_of(name);
  auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  if (find(in, hash, name) != npos)
    return false;
  if ((in.used + 1) * 2 > in.slots.size())
    grow(in);
  place(in, entry{hash, std::string{name}, std::move(holder), since});
  ++in.used;
  return true;
}

caf::strong_actor_ptr name_table::find(std::string_view name) const {
  const auto hash = hash_of(name);
  const auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  const auto at = find(in, hash, name);
  return at != npos ? in.slots[at].holder : nullptr;
}

caf::strong_actor_ptr name_table::erase(std::string_view name) {
  const auto hash = hash_of(name);
  auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  auto hole = find(in, hash, name);
  if (hole == npos)
    return nullptr;
  auto& slots = in.slots;
  const auto mask = slots.size() - 1;
  auto result = std::exchange(slots[hole], entry{}).holder;
  --in.used;
  for (auto at = (hole + 1) & mask; slots[at].holder; at = (at + 1) & mask) {
    if (((at - slots[at].hash) & mask) < ((at - hole) & mask))
      continue; // its home lies behind the hole
    slots[hole] = std::exchange(slots[at], entry{});
    hole = at;
  }
  return result;
}

std::vector<name_table::entry> name_table::list(std::string_view prefix) const {
  std::vector<entry> result;
  for (const auto& in : shards_) {
    std::scoped_lock guard{in.lock};
    for (const auto& x : in.slots)
      if (x.holder && x.name.starts_with(prefix))
        result.push_back(x);
  }
  std::sort(result.begin(), result.end(),
            [](const entry& a, const entry& b) { return a.name < b.name; });
  return result;
}

uint64_t name_table::hash_of(std::string_view name) noexcept {
  return std::hash<std::string_view>{}(name);
}

size_t name_table::find(const shard& in, uint64_t hash, std::string_view name) noexcept {
  if (in.slots.empty())
    return npos;
  const auto mask = in.slots.size() - 1;
  for (auto at = hash & mask; in.slots[at].holder; at = (at + 1) & mask)
    if (in.slots[at].hash == hash && in.slots[at].name == name)
      return at;
  return npos;
}

void name_table::place(shard& in, entry&& x) {
  const auto mask = in.slots.size() - 1;
  auto at = x.hash & mask;
  while (in.slots[at].holder)
    at = (at + 1) & mask;
  in.slots[at] = std::move(x);
}

void name_table::grow(shard& in) {
  std::vector<entry> old(std::max<size_t>(4, in.slots.size() * 2));
  old.swap(in.slots);
  for (auto& x : old)
    if (x.holder)
      place(in, std::move(x));
}

} // namespace caf_app

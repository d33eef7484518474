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
  auto& found = find_or_add(in, hash, name);
  auto& known = found.holder(name_layer::node);
  if (known)
    return false;
  known = std::move(holder);
  found.since = since;
  return true;
}

caf::strong_actor_ptr name_table::replace(std::string_view name, caf::strong_actor_ptr holder) {
  const auto hash = hash_of(name);
  auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  return std::exchange(find_or_add(in, hash, name).holder(name_layer::cluster), std::move(holder));
}

caf::strong_actor_ptr name_table::find(std::string_view name) const {
  const auto hash = hash_of(name);
  const auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  const auto at = find(in, hash, name);
  if (at == npos)
    return nullptr;
  const auto& own = in.slots[at].holder(name_layer::node);
  return own ? own : in.slots[at].holder(name_layer::cluster);
}

caf::strong_actor_ptr name_table::find(std::string_view name, name_layer layer) const {
  const auto hash = hash_of(name);
  const auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  const auto at = find(in, hash, name);
  return at != npos ? in.slots[at].holder(layer) : nullptr;
}

caf::strong_actor_ptr name_table::erase(std::string_view name, name_layer layer) {
  const auto hash = hash_of(name);
  auto& in = shard_of(hash);
  std::scoped_lock guard{in.lock};
  const auto at = find(in, hash, name);
  if (at == npos)
    return nullptr;
  auto result = std::exchange(in.slots[at].holder(layer), nullptr);
  if (!in.slots[at].used())
    free(in, at);
  return result;
}

void name_table::free(shard& in, size_t hole) {
  auto& slots = in.slots;
  const auto mask = slots.size() - 1;
  slots[hole] = slot{};
  --in.used;
  for (auto at = (hole + 1) & mask; slots[at].used(); at = (at + 1) & mask) {
    if (((at - slots[at].hash) & mask) < ((at - hole) & mask))
      continue; // its home lies behind the hole
    slots[hole] = std::exchange(slots[at], slot{});
    hole = at;
  }
}

std::vector<name_table::entry> name_table::list(std::string_view prefix, name_layer layer) const {
  std::vector<entry> result;
  for (const auto& in : shards_) {
    std::scoped_lock guard{in.lock};
    for (const auto& x : in.slots)
      if (x.holder(layer) && x.name.starts_with(prefix))
        result.push_back({x.name, x.holder(layer), x.since});
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
  for (auto at = hash & mask; in.slots[at].used(); at = (at + 1) & mask)
    if (in.slots[at].hash == hash && in.slots[at].name == name)
      return at;
  return npos;
}

/// @returns the slot of `name`; a new one has no holder yet, and needs one before the lock goes
name_table::slot& name_table::find_or_add(shard& in, uint64_t hash, std::string_view name) {
  if (const auto at = find(in, hash, name); at != npos)
    return in.slots[at];
  if ((in.used + 1) * 2 > in.slots.size())
    grow(in);
  ++in.used;
  slot fresh;
  fresh.hash = hash;
  fresh.name = name;
  return place(in, std::move(fresh));
}

name_table::slot& name_table::place(shard& in, slot&& x) {
  const auto mask = in.slots.size() - 1;
  auto at = x.hash & mask;
  while (in.slots[at].used())
    at = (at + 1) & mask;
  in.slots[at] = std::move(x);
  return in.slots[at];
}

void name_table::grow(shard& in) {
  std::vector<slot> old(std::max<size_t>(4, in.slots.size() * 2));
  old.swap(in.slots);
  for (auto& x : old)
    if (x.used())
      place(in, std::move(x));
}

} // namespace caf_app

#include "caf_app/registry/watch_table.hpp"

namespace caf_app {

uint64_t watch_table::add(target_key target, handler on_down) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const auto index = free_.back();
  free_.pop_back();
  auto& x = slots_[index];
  ++x.generation;
  x.used = true;
  x.target = target;
  x.on_down = std::move(on_down);
  auto& chain = by_target_[target];
  x.older = chain.newest;
  x.newer = none;
  if (chain.newest != none)
    slots_[chain.newest].newer = index;
  else
    chain.oldest = index;
  chain.newest = index;
  return (uint64_t{x.generation} << 32) | index;
}

std::optional<watch_table::entry> watch_table::take(uint64_t ref) {
  const auto index = static_cast<uint32_t>(ref);
  if (index >= slots_.size() || !slots_[index].used || slots_[index].generation != ref >> 32)
    return std::nullopt;
  return release(index);
}

std::optional<watch_table::entry> watch_table::take_oldest(target_key target) {
  const auto found = by_target_.find(target);
  if (found == by_target_.end())
    return std::nullopt;
  return release(found->second.oldest);
}

void watch_table::clear() {
  slots_.clear();
  free_.clear();
  by_target_.clear();
}

watch_table::entry watch_table::release(uint32_t index) {
  auto& x = slots_[index];
  const auto found = by_target_.find(x.target);
  auto& chain = found->second;
  (x.older != none ? slots_[x.older].newer : chain.oldest) = x.newer;
  (x.newer != none ? slots_[x.newer].older : chain.newest) = x.older;
  if (chain.oldest == none)
    by_target_.erase(found);
  entry result{(uint64_t{x.generation} << 32) | index, x.target, std::move(x.on_down)};
  x.on_down = nullptr;
  x.used = false;
  free_.push_back(index);
  return result;
}

} // namespace caf_app

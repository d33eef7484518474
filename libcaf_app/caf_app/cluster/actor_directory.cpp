#include "caf_app/cluster/actor_directory.hpp"

#include <algorithm>
#include <vector>

#include <caf/abstract_actor.hpp>
#include <caf/actor_registry.hpp>

namespace caf_app {

void actor_directory::expose(const caf::strong_actor_ptr& actor) {
  auto& in = table_[actor->id() % shards];
  const std::scoped_lock guard{in.lock};
  const auto [found, fresh] = in.actors.try_emplace(actor->id());
  if (!fresh)
    return;
  found->second = caf::weak_actor_ptr{actor.get()};
  if (in.actors.size() >= in.sweep_at)
    sweep(in);
}

// Nobody tells when an actor ends, a functor per actor would cost more than the table.
void actor_directory::sweep(shard& in) {
  std::erase_if(in.actors, [](const auto& x) {
    const auto& block = x.second;
    return block->strong_refs == 0;
  });
  in.sweep_at = std::max(sweep_first, 2 * in.actors.size());
}

caf::strong_actor_ptr actor_directory::find(caf::actor_id id) const {
  const auto& in = table_[id % shards];
  {
    const std::scoped_lock guard{in.lock};
    if (const auto found = in.actors.find(id); found != in.actors.end())
      if (auto* block = found->second.get(); caf::intrusive_ptr_upgrade_weak(block))
        return caf::strong_actor_ptr{block, false};
  }
  return system_.registry().get(id);
}

size_t actor_directory::size() const {
  size_t result = 0;
  for (const auto& in : table_) {
    const std::scoped_lock guard{in.lock};
    result += in.actors.size();
  }
  return result;
}

} // namespace caf_app

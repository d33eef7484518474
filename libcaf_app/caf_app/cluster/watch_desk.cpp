#include "caf_app/cluster/watch_desk.hpp"

#include <caf/abstract_actor.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/error_codec.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

namespace {

void tell(const peer_channel_ptr& peer, caf::actor_id actor, const caf::error& reason) {
  peer->push(frame_kind::down, 0, body_bytes(down_body{actor, to_wire(reason)}));
}

} // namespace

void watch_desk::on_monitor(const peer_channel_ptr& from, caf::actor_id actor) {
  const auto target = context_->exposed.find(actor);
  if (!target || has_ended(*target->get()))
    return tell(from, actor, why_unusable(target ? target->get() : nullptr));
  bool fresh = false;
  {
    const std::scoped_lock guard{mutex_};
    auto [found, is_new] = watchers_.try_emplace(actor);
    found->second.insert(from);
    fresh = is_new;
  }
  if (fresh) // runs at once if the actor ended just now
    target->get()->attach_functor([weak = weak_from_this(), actor](const caf::error& reason) {
      if (const auto self = weak.lock())
        self->on_end(actor, reason);
    });
}

void watch_desk::on_end(caf::actor_id actor, const caf::error& reason) {
  std::set<peer_channel_ptr> peers;
  {
    const std::scoped_lock guard{mutex_};
    if (auto node = watchers_.extract(actor); !node.empty())
      peers = std::move(node.mapped());
    std::erase_if(links_, [actor](const auto& x) { return std::get<1>(x) == actor; });
  }
  for (const auto& peer : peers)
    tell(peer, actor, reason);
}

// The entry stays, because the functor does.
void watch_desk::on_demonitor(const peer_channel_ptr& from, caf::actor_id actor) {
  const std::scoped_lock guard{mutex_};
  if (const auto found = watchers_.find(actor); found != watchers_.end())
    found->second.erase(from);
}

void watch_desk::on_link(const peer_channel_ptr& from, caf::actor_id actor, caf::actor_id source) {
  on_monitor(from, actor);
  const std::scoped_lock guard{mutex_};
  links_.insert({from, actor, source});
}

void watch_desk::on_unlink(const peer_channel_ptr& from, caf::actor_id actor,
                           caf::actor_id source) {
  take_link(from, actor, source);
}

bool watch_desk::take_link(const peer_channel_ptr& from, caf::actor_id actor,
                           caf::actor_id source) {
  const std::scoped_lock guard{mutex_};
  return links_.erase({from, actor, source}) != 0;
}

void watch_desk::forget(const peer_channel_ptr& peer) {
  const std::scoped_lock guard{mutex_};
  for (auto& [actor, peers] : watchers_)
    peers.erase(peer);
  std::erase_if(links_, [&](const auto& x) { return std::get<0>(x) == peer; });
}

size_t watch_desk::size() const {
  const std::scoped_lock guard{mutex_};
  size_t count = 0;
  for (const auto& [actor, peers] : watchers_)
    count += peers.empty() ? 0 : 1;
  return count;
}

} // namespace caf_app

// The part of a channel that knows the handles of the peer's actors, and who watches them.
#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/make_actor.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/peer_channel.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

caf::strong_actor_ptr peer_channel::proxy(caf::actor_id id) {
  caf::strong_actor_ptr result;
  {
    const std::scoped_lock guard{actors_mutex_};
    auto& known = proxies_[id];
    if (known)
      if (auto* block = known.get(); caf::intrusive_ptr_upgrade_weak(block))
        return caf::strong_actor_ptr{block, false};
    caf::actor_config config;
    result = caf::make_actor<remote_handle, caf::strong_actor_ptr>(id, node_, &context_->system,
                                                                   config, shared_from_this());
    known = caf::weak_actor_ptr{result.get()};
  }
  if (ended()) {
    caf::error reason;
    {
      const std::scoped_lock guard{output_mutex_};
      reason = end_reason_;
    }
    if (code_of(reason) == errc::link_lost)
      reason = caf::exit_reason::remote_link_unreachable;
    static_cast<remote_handle*>(result->get())->cleanup(std::move(reason), nullptr);
  }
  return result;
}

void peer_channel::forget(const caf::actor_control_block* proxy) {
  const std::scoped_lock guard{actors_mutex_};
  const auto found = proxies_.find(proxy->aid);
  if (found != proxies_.end() && found->second.get() == proxy)
    proxies_.erase(found); // else there is a newer one
}

// -- watching ---------------------------------------------------------------------------------

void peer_channel::monitor(const remote_handle& proxy) {
  {
    const std::scoped_lock guard{actors_mutex_};
    if (ended())
      return; // it ends at once, or has
    auto& kept = watched_[proxy.id()];
    if (kept)
      return;
    kept = caf::strong_actor_ptr{const_cast<remote_handle&>(proxy).ctrl()};
  }
  push(frame_kind::monitor, 0, body_bytes(actor_body{proxy.id()}));
}

void peer_channel::demonitor(const remote_handle& proxy, uint64_t attaches_seen) {
  caf::strong_actor_ptr last; // dropped after the lock: it may be the last reference
  {
    const std::scoped_lock guard{actors_mutex_};
    const auto found = watched_.find(proxy.id());
    if (found == watched_.end() || proxy.was_asked() || proxy.attaches() != attaches_seen)
      return;
    last = std::move(found->second);
    watched_.erase(found);
  }
  push(frame_kind::demonitor, 0, body_bytes(actor_body{proxy.id()}));
}

void peer_channel::link(const remote_handle& proxy, const caf::abstract_actor& local) {
  {
    const std::scoped_lock guard{actors_mutex_};
    links_.insert({local.id(), proxy.id()});
  }
  context_->exposed.expose(caf::strong_actor_ptr{const_cast<caf::abstract_actor&>(local).ctrl()});
  monitor(proxy);
  push(frame_kind::monitor, link_flag, body_bytes(link_body{proxy.id(), local.id()}));
}

void peer_channel::unlink(const remote_handle& proxy, const caf::abstract_actor& local) {
  {
    const std::scoped_lock guard{actors_mutex_};
    links_.erase({local.id(), proxy.id()});
  }
  push(frame_kind::demonitor, link_flag, body_bytes(link_body{proxy.id(), local.id()}));
}

void peer_channel::ask_for_watches() {
  std::vector<caf::actor_id> watched;
  std::set<watch> linked;
  {
    const std::scoped_lock guard{actors_mutex_};
    for (const auto& [id, kept] : watched_)
      watched.push_back(id);
    linked = links_;
  }
  for (const auto id : watched)
    push(frame_kind::monitor, 0, body_bytes(actor_body{id}));
  for (const auto& [local, remote] : linked)
    push(frame_kind::monitor, link_flag, body_bytes(link_body{remote, local}));
}

// -- ends ---------------------------------------------------------------------------------------

void peer_channel::on_down(caf::actor_id id, caf::error reason) {
  caf::strong_actor_ptr proxy;
  {
    const std::scoped_lock guard{actors_mutex_};
    if (const auto kept = watched_.find(id); kept != watched_.end()) {
      proxy = std::move(kept->second);
      watched_.erase(kept);
    }
    std::erase_if(links_, [id](const watch& x) { return x.second == id; });
  }
  std::vector<std::pair<pending_key, asker>> waiting;
  {
    const std::scoped_lock guard{pending_mutex_};
    waiting = pending_.take_where([id](const asker& x) { return x.target == id; });
  }
  answer(waiting,
         caf::make_error(code_of(reason) == errc::noproc ? errc::noproc : errc::target_failed,
                         "actor " + std::to_string(id) + " of " + to_string(peer_)));
  if (proxy)
    static_cast<remote_handle*>(proxy->get())->cleanup(std::move(reason), context_->loop);
}

void peer_channel::announce_leave() {
  const std::scoped_lock guard{output_mutex_};
  if (state_ != state::ended)
    end_reason_ = caf::make_error(errc::node_left, peer_.name);
}

void peer_channel::end(const caf::error& reason) {
  {
    const std::scoped_lock guard{output_mutex_};
    if (state_ == state::ended)
      return;
    state_ = state::ended;
    end_reason_ = watch_reason(reason); // what requests are answered with
  }
  close();
  std::vector<caf::strong_actor_ptr> proxies;
  {
    const std::scoped_lock guard{actors_mutex_};
    for (const auto& [id, weak] : proxies_)
      if (auto* block = weak.get(); block && caf::intrusive_ptr_upgrade_weak(block))
        proxies.emplace_back(block, false);
    watched_.clear();
    links_.clear();
  }
  for (const auto& proxy : proxies)
    static_cast<remote_handle*>(proxy->get())->cleanup(caf::error{reason}, context_->loop);
}

} // namespace caf_app

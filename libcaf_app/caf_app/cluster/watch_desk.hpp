// Which actors of this node are watched from which peers, and by which remote actors they are
// linked. An actor gets one functor, however often it is watched: functors cannot be detached.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <unordered_map>

#include "caf_app/cluster/peer_channel.hpp"

namespace caf_app {

/// Thread safe; held by shared_ptr.
class watch_desk : public std::enable_shared_from_this<watch_desk> {
public:
  explicit watch_desk(std::shared_ptr<link_context> context) : context_(std::move(context)) {}

  /// The peer asks for the end of an actor; one that has ended is told at once, with noproc.
  void on_monitor(const peer_channel_ptr& from, caf::actor_id actor);
  /// The peer takes that back.
  void on_demonitor(const peer_channel_ptr& from, caf::actor_id actor);

  /// `source` of the peer is linked to `actor`.
  void on_link(const peer_channel_ptr& from, caf::actor_id actor, caf::actor_id source);
  /// That link is gone.
  void on_unlink(const peer_channel_ptr& from, caf::actor_id actor, caf::actor_id source);

  /// Takes a link out. @returns whether there was one: its source may end the actor
  bool take_link(const peer_channel_ptr& from, caf::actor_id actor, caf::actor_id source);

  /// The connection to the peer ended; it asks again on the next.
  void forget(const peer_channel_ptr& peer);

  /// Actors that are watched.
  size_t size() const;

private:
  void on_end(caf::actor_id actor, const caf::error& reason);

  std::shared_ptr<link_context> context_;
  mutable std::mutex mutex_;
  std::unordered_map<caf::actor_id, std::set<peer_channel_ptr>> watchers_; // empty: unwatched
  std::set<std::tuple<peer_channel_ptr, caf::actor_id, caf::actor_id>> links_;
};

} // namespace caf_app

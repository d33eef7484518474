// One life of another node as the threads of this one see it: where messages for its actors go,
// which requests wait for an answer from it, and the handles of its actors. It outlives connections
// and handles outlive it; the link attaches to it while there is a connection.
//
//   fresh --open()--> linked --close()--> idle    fresh: short messages wait for the first link
//     |                 | ^                |      idle: requests fail at once; watches wait
//     |                 | `----open()------|
//     `-----------------`-----end()--------`-> ended     handles end, too
//
// What is sent waits in the outbox until the end of its sender's turn, then that thread writes it
// (express_lane). Where it cannot, or another one writes, the loop does.
//
// Fresh is short: who is not linked within reconnect_grace is lost. So the handle of an actor on a
// node that was heard of a moment ago can be used at once.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <caf/actor_control_block.hpp>
#include <caf/error.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/node_id.hpp>

#include "caf_app/cluster/express_lane.hpp"
#include "caf_app/cluster/link_body.hpp"
#include "caf_app/cluster/link_context.hpp"
#include "caf_app/cluster/link_outbox.hpp"
#include "caf_app/cluster/pending_table.hpp"
#include "caf_app/cluster/remote_handle.hpp"
#include "caf_app/loop/turn.hpp"

namespace caf_app {

/// The connection below a channel; called on the loop's thread.
class channel_output {
public:
  virtual ~channel_output() = default;

  /// Something waits in the channel.
  virtual void flush() = 0;

  /// So much waits that control frames would get lost: cut the connection.
  virtual void overflow() = 0;
};

/// One life of a peer, whatever becomes of connections to it.
class peer_channel final : public turn_listener, public std::enable_shared_from_this<peer_channel> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The sender of relayed requests: an actor of a third node asks through us.
  static constexpr caf::actor_id relay_id = ~caf::actor_id{0};

  /// Without a connection; what is sent waits for the first one.
  peer_channel(std::shared_ptr<link_context> context, member_id peer, caf::node_id node);

  const member_id& peer() const noexcept { return peer_; }
  const caf::node_id& node() const noexcept { return node_; }

  // -- any thread ---------------------------------------------------------------

  /// The handle of an actor of the peer.
  caf::strong_actor_ptr proxy(caf::actor_id id);

  /// Sends a message to the actor behind `to`, or answers the request with the reason why not.
  void send(const remote_handle& to, caf::mailbox_element_ptr what,
            std::optional<time_point> deadline, caf::execution_unit* unit);

  /// @returns false if it cannot leave, and was counted
  bool push(frame_kind kind, uint8_t flags, std::string body);

  /// Whether there is a connection; whether one may still come; whether the peer was given up.
  bool linked() const noexcept { return state_ == state::linked; }
  bool usable() const noexcept { return linked() || state_ == state::fresh; }
  bool ended() const noexcept { return state_ == state::ended; }

  /// Bytes that wait for the connection.
  size_t queued() const;

  /// Requests that wait for an answer.
  size_t pending() const;

  // -- for remote_handle, any thread -----------------------------------------------

  /// Asks the peer for the end of an actor, takes that back, links, unlinks.
  void monitor(const remote_handle& proxy);
  void demonitor(const remote_handle& proxy, uint64_t attaches_seen);
  void link(const remote_handle& proxy, const caf::abstract_actor& local);
  void unlink(const remote_handle& proxy, const caf::abstract_actor& local);
  /// A handle is being destroyed.
  void forget(const caf::actor_control_block* proxy);

  // -- for the link, on the loop ----------------------------------------------------

  /// There is a connection: what waits is flushed through `output` until close().
  void open(channel_output& output, const link_outbox::options& limits);

  /// From now on senders may hand messages to the connection themselves, past channel_output.
  /// @param fd see express_lane::open; until close()
  void express(int fd);

  /// Lets the connection send what waits.
  void flush() {
    if (output_)
      output_->flush();
  }

  /// The peer has announced that it leaves: if the connection goes now, that is why.
  void announce_leave();

  /// The connection is gone: what waits for it is dropped, requests are answered with link_lost, or
  /// node_left after an announcement.
  void close();

  /// The life of the peer is over: all handles end with `reason`.
  void end(const caf::error& reason);

  /// See link_outbox::take(). Call it again after what it gave has been written, until it returns
  /// 0: before that nobody else writes to the connection. 0 also while a sender writes.
  size_t take(std::string& out, size_t bytes_max);

  /// The peer tells that an actor has ended: its handle ends with `reason`.
  void on_down(caf::actor_id id, caf::error reason);

  /// Who waits for a response, weakly.
  struct asker {
    caf::weak_actor_ptr who;
    caf::message_id id;
    caf::actor_id target; ///< of the peer
  };

  /// Who waits for the response `id` to `receiver`; nothing if nobody does.
  std::optional<asker> take_asker(caf::actor_id receiver, caf::message_id id);

  /// Drops requests that are too old.
  void expire(time_point now);

private:
  enum class writer : uint8_t { nobody, loop, sender };
  enum class next_step : uint8_t { none, put_off, put_off_or_write, write };
  enum class state : uint8_t { fresh, idle, linked, ended };
  using watch = std::pair<caf::actor_id, caf::actor_id>; // local, remote

  caf::error write(caf::actor_id to, caf::mailbox_element& what, std::optional<time_point> deadline,
                   time_point now, std::string& body);
  caf::actor_id relay_request(caf::mailbox_element& what, message_head& head,
                              std::optional<time_point> deadline);
  caf::error push_message(std::string body, time_point now);
  void refuse(caf::mailbox_element& what, caf::error why, caf::execution_unit* unit);
  bool may_send_exit(caf::actor_id to, const caf::mailbox_element& what);
  caf::error why_not_linked() const;
  next_step step_after(push_verdict verdict, time_point now); // under output_mutex_
  void on_turn_end() override { write_now(); }
  void write_now();
  next_step take_batch(); // under write_mutex_
  bool write_batch();     // the same
  void put_off(next_step otherwise);
  void wake(bool cut);
  void answer(const std::vector<std::pair<pending_key, asker>>& waiting, const caf::error& why);
  void ask_for_watches();

  std::shared_ptr<link_context> context_;
  member_id peer_;
  caf::node_id node_;
  channel_output* output_ = nullptr; // on the loop only
  std::atomic<state> state_{state::fresh};

  std::mutex write_mutex_; // of a sender that writes; locked before output_mutex_
  std::string batch_;      // what it writes

  mutable std::mutex output_mutex_; // guards what follows, and changes of state_
  link_outbox outbox_{link_outbox::options{}};
  express_lane express_;           // changed under both mutexes
  writer writer_ = writer::nobody; // has taken what it writes, and will look for more
  bool put_off_ = false;           // what waits is sent at the end of a turn
  caf::error end_reason_;

  mutable std::mutex pending_mutex_;
  pending_table<asker> pending_;
  uint64_t relayed_ = 0;

  std::mutex actors_mutex_;
  std::unordered_map<caf::actor_id, caf::weak_actor_ptr> proxies_;
  std::unordered_map<caf::actor_id, caf::strong_actor_ptr> watched_; // kept alive until their end
  std::set<watch> links_;
};

using peer_channel_ptr = std::shared_ptr<peer_channel>;

} // namespace caf_app

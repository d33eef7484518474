// What a link needs from the node that it belongs to: who we are, whether there may be a link, and
// where frames go. All calls on the loop of the links.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "caf_app/cluster/link_handshake.hpp"
#include "caf_app/cluster/message_delivery.hpp"
#include "caf_app/cluster/peer_channel.hpp"

namespace caf_app {

class tls_client_context;
class tls_context;

/// Bounds of one link; those of the configuration.
struct link_limits {
  size_t frame_bytes_max = limits::cluster::frame_bytes_max;
  size_t link_buffer_bytes = limits::cluster::link_buffer_bytes;
  std::chrono::milliseconds handshake_timeout = limits::cluster::handshake_timeout;
  std::chrono::milliseconds stall_timeout = limits::cluster::stall_timeout;
};

/// A link as its node sees it.
class link_handle {
public:
  virtual ~link_handle() = default;

  /// Ends the link after what waits was sent as far as that is possible at once. The node hears no
  /// more of it.
  virtual void cut(const std::string& why) = 0;
};

/// What a link asks its node, on the loop of the links.
class link_host {
public:
  virtual ~link_host() = default;

  virtual const link_limits& limits() const = 0;

  /// Our side of a handshake, with a fresh nonce.
  virtual handshake_options greeting(link_role role, const std::string& expected_peer) = 0;

  /// Null without TLS.
  virtual std::shared_ptr<const tls_context> server_tls() const = 0;
  virtual std::shared_ptr<const tls_client_context> client_tls() const = 0;

  /// A handshake has ended well. @returns the channel of the peer, open; null if there must not be
  /// a link after all
  virtual peer_channel_ptr link_up(link_handle& link, channel_output& output,
                                   const hello_body& peer) = 0;

  /// An established link has ended by itself.
  virtual void link_down(link_handle& link, const member_id& peer, const std::string& why) = 0;

  /// There will be no link. @param expected_peer empty for the listener's side
  virtual void no_link(const std::string& expected_peer, const std::string& address,
                       const refused_body& why, bool by_peer) = 0;

  /// A frame of kind heartbeat, gossip, names or groups.
  /// @returns false if it cannot be read
  virtual bool on_frame(const member_id& from, frame_kind kind, std::string_view body) = 0;

  virtual message_delivery& delivery() = 0;
  virtual watch_desk& watches() = 0;
};

} // namespace caf_app

// A link to one peer: owns its socket, shakes hands, then carries frames until the connection ends.
// What it is about is decided by its host; this is the shell around link_handshake, frame_reader
// and the peer's channel.
//
//   (TLS handshake) -> shaking hands --established--> open --end, fault, cut(), stall--> closing
//                         `--refused, expired-----------------------------------------> closing
//   closing: what waits is sent, for a moment; then the actor ends
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "caf_app/cluster/link_host.hpp"
#include "caf_app/cluster/link_wire.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app {

/// What a link begins with.
struct link_start {
  int fd = -1; ///< non-blocking; connecting, if we dial
  link_role role = link_role::listener;
  std::string expected_peer; ///< whom we dialled
  std::string address;       ///< of the other end, for logs
};

/// One connection to a peer; on the loop of all links.
class link_actor final : public loop_app_actor,
                         private stream_owner,
                         private channel_output,
                         private link_handle {
public:
  /// @param host told of the link as long as it lives
  link_actor(caf::actor_config& config, event_loop* loop, std::weak_ptr<link_host> host,
             link_start start);
  ~link_actor() override;

  const char* name() const override { return "cluster.link"; }

  bool cleanup(caf::error&& reason, caf::execution_unit* unit) override;

  // -- on the loop, for the actor that has spawned it -----------------------------------

  /// Whether the peer has not proved itself yet.
  bool shaking_hands() const noexcept { return !channel_ && !closing_; }

  /// Closes the connection and ends.
  void begin_end();

protected:
  caf::behavior make_behavior() override;

private:
  static constexpr int checks_per_stall = 4;

  void begin(link_host& host);
  void begin_handshake(link_host& host);
  void on_data(std::span<const char> bytes) override;
  void on_end() override;
  void on_drained() override;
  void on_failed(int error) override;
  void on_exception() override;

  void shake_hands(link_host& host, std::string_view bytes);
  void establish(link_host& host);
  void read_frames(link_host& host);
  bool on_frame(link_host& host, const frame_view& frame);
  bool on_watch(link_host& host, const frame_view& frame);

  void flush() override;
  void overflow() override { end_link("too much waits for the peer"); }
  void cut(const std::string& why) override;
  void check_stall();
  void on_deadline();

  void refuse(refused_body why, bool by_peer);
  void end_link(const std::string& why);
  void finish();
  void quit_later();

  std::weak_ptr<link_host> host_;
  link_start start_;
  std::optional<link_wire> wire_;
  std::optional<link_handshake> handshake_;
  std::optional<frame_reader> reader_; // once established
  peer_channel_ptr channel_;           // while established
  std::string out_;
  bool closing_ = false;
  wheel_timer deadline_; // of the handshake, then of closing
  wheel_timer stall_;
  uint64_t sent_at_check_ = 0;
  int stalled_checks_ = 0;
};

} // namespace caf_app

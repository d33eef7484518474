// Runs the cluster layer of a node: gives cluster_node its time, accepts and dials links, and
// begins another life when this one was declared down. Its own end ends the life; what the node's
// actors want is kept by the desk, and the next incarnation of this actor goes on with it.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "caf_app/cluster/cluster_node.hpp"
#include "caf_app/cluster/dial_book.hpp"
#include "caf_app/loop/acceptor.hpp"
#include "caf_app/registry/loop_app_actor.hpp"

namespace caf_app {

/// Answers claim_name, takes release_name.
class cluster_actor final : public loop_app_actor, private accept_owner {
public:
  /// @param socket null: nobody can dial this node
  cluster_actor(caf::actor_config& config, event_loop* loop,
                std::shared_ptr<const cluster_parts> parts, listen_socket_ptr socket,
                caf::actor resolver);

  const char* name() const override { return "cluster"; }

  bool cleanup(caf::error&& reason, caf::execution_unit* unit) override;

protected:
  caf::behavior make_behavior() override;

private:
  void begin_life();
  void end_life();
  void on_tick();
  void dial(cluster_node::dial_target target);
  void connect(const std::string& name, const std::string& address);
  void start_link(int fd, link_role role, const std::string& peer, const std::string& address);
  void limit_handshakes();
  void claim(const claim_name& wanted, caf::response_promise promise);

  void on_accept(int fd, const socket_address& peer) override;
  void on_accept_paused(int error) override;
  void on_accept_exception() override;

  std::shared_ptr<const cluster_parts> parts_;
  listen_socket_ptr socket_;
  caf::actor resolver_;
  acceptor* acceptor_ = nullptr;
  std::shared_ptr<cluster_node> node_;
  dial_book dials_;
  std::deque<caf::actor> accepted_; // links that others began, oldest first
  std::deque<caf::actor> dialled_;
  wheel_timer tick_;
};

} // namespace caf_app

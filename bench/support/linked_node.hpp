// A node of a cluster in the making of a benchmark: the cluster layer as nodes/ puts it together,
// without what only an operator needs.
#pragma once

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/cluster_actor.hpp"
#include "caf_app/cluster/node_identity.hpp"
#include "caf_app/loop/listen_socket.hpp"
#include "caf_app/loop/scheduler.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"

namespace bench {

/// One worker beside the loop, as on a node with two cores.
struct linked_config : caf::actor_system_config, caf_app::hook_carrier {
  linked_config() {
    caf_app::add_messages(*this);
    caf_app::load_scheduler(*this, 1);
    load<caf_app::node_identity>();
  }
};

class linked_node {
public:
  /// Where a node listens, on loopback.
  using place = std::pair<std::string, uint16_t>;

  /// @param peers all other nodes
  linked_node(caf::actor_system& system, caf_app::event_loop& loop, const place& own,
              const std::vector<place>& peers)
      : parts_(std::make_shared<caf_app::cluster_parts>()) {
    auto& settings = parts_->settings;
    settings.cluster = "bench";
    settings.node = own.first;
    settings.address = address_of(own);
    settings.secret = "0123456789abcdef";
    settings.voters = {own.first};
    for (const auto& peer : peers) {
      settings.peers[peer.first] = address_of(peer);
      settings.voters.push_back(peer.first);
    }
    settings.quorum =
        peers.size() > 1 ? caf_app::quorum_mode::majority : caf_app::quorum_mode::none;
    parts_->context = std::make_shared<caf_app::link_context>(system, &loop);
    parts_->channels = std::make_shared<caf_app::channel_index>();
    parts_->desk = std::make_shared<caf_app::cluster_desk>(parts_->context);
    parts_->names = caf_app::registry::make();
    parts_->names->connect(parts_->desk);
    parts_->log = caf_app::make_silent_logger();
    const auto address = caf_app::parse_socket_address(settings.address);
    auto socket = caf_app::listen_tcp(*address, 16, caf_app::port_sharing::exclusive);
    if (!socket) {
      std::cerr << caf_app::describe(socket.error()) << std::endl;
      std::_Exit(1);
    }
    actor_ = caf::actor{caf_app::spawn_on<caf_app::cluster_actor>(
        system, &loop, std::shared_ptr<const caf_app::cluster_parts>{parts_}, *socket,
        caf::actor{})};
  }

  ~linked_node() { caf::anon_send_exit(actor_, caf::exit_reason::user_shutdown); }

  linked_node(const linked_node&) = delete;
  linked_node& operator=(const linked_node&) = delete;

  const std::shared_ptr<caf_app::registry>& names() const { return parts_->names; }

private:
  static std::string address_of(const place& where) {
    return "127.0.0.1:" + std::to_string(where.second);
  }

  std::shared_ptr<caf_app::cluster_parts> parts_;
  caf::actor actor_;
};

} // namespace bench

// The cluster layer of a node in one of its lives: ties cluster_core to links, channels, the
// registry and the desk. On the loop of the links only; the actor that owns it gives it time.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "caf_app/base/log.hpp"
#include "caf_app/cluster/cluster_core.hpp"
#include "caf_app/cluster/cluster_desk.hpp"
#include "caf_app/cluster/cluster_settings.hpp"
#include "caf_app/cluster/link_host.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

/// What several lives of a node share.
struct cluster_parts {
  cluster_settings settings;
  std::shared_ptr<link_context> context;
  std::shared_ptr<channel_index> channels;
  std::shared_ptr<cluster_desk> desk;
  std::shared_ptr<registry> names;
  logger_ptr log;
};

/// One life of the cluster layer. On the loop of the links only.
class cluster_node final : public link_host, public std::enable_shared_from_this<cluster_node> {
public:
  using clock = cluster_core::clock;

  /// A peer that this node has to dial.
  struct dial_target {
    std::string name;
    std::string address;
  };

  /// @param on_dial called when a dial of `name` has ended, with its success
  cluster_node(std::shared_ptr<const cluster_parts> parts,
               std::function<void(const std::string& name, bool linked)> on_dial);
  ~cluster_node() override;

  // -- what actors of this node want ----------------------------------------------------

  /// See cluster_core.
  void want(const std::string& name, caf::actor_id actor);
  void release(const std::string& name, caf::actor_id actor);
  void join(const std::string& group, caf::actor_id actor);
  void leave_group(const std::string& group, caf::actor_id actor);

  // -- time and life --------------------------------------------------------------------

  /// Every 100 ms or so.
  void tick();
  /// Names go to others; then, when the work of the node is done, leave().
  void announce_leaving();
  void leave();

  /// Ends all links and handles: this life is over.
  void shut(const std::string& why);

  /// Whether this life was declared down: another has to begin.
  bool declared_down() const noexcept { return declared_down_; }

  /// Peers without a link, of those that this node dials.
  std::vector<dial_target> to_dial() const;

  const member_id& own() const noexcept { return own_; }

  // -- link_host --------------------------------------------------------------------------

  const link_limits& limits() const override { return parts_->settings.links; }
  handshake_options greeting(link_role role, const std::string& expected_peer) override;
  std::shared_ptr<const tls_context> server_tls() const override;
  std::shared_ptr<const tls_client_context> client_tls() const override;
  peer_channel_ptr link_up(link_handle& link, channel_output& output,
                           const hello_body& peer) override;
  void link_down(link_handle& link, const member_id& peer, const std::string& why) override;
  void no_link(const std::string& expected_peer, const std::string& address,
               const refused_body& why, bool by_peer) override;
  bool on_frame(const member_id& from, frame_kind kind, std::string_view body) override;
  message_delivery& delivery() override { return delivery_; }
  watch_desk& watches() override { return *watches_; }

private:
  struct peer {
    peer_channel_ptr channel;
    link_handle* link = nullptr;
  };

  using group_members = std::map<uint64_t, caf::strong_actor_ptr>; // by actor id

  clock::time_point now() const { return parts_->context->loop->now(); }
  peer* peer_of(const member_id& id);
  void apply();
  void on_member(const member_event& event);
  void give_up(const member_id& id);
  void on_name(const name_outcome& outcome);
  void on_replica(const name_replica_change& change);
  void renew_names_of(const member_id& id);
  void on_group(const group_change& change);
  void update_groups();
  void cut(const member_id& id, const std::string& why);
  caf::strong_actor_ptr handle_of(const member_id& node, caf::actor_id actor,
                                  const std::string& name);
  void report_view();
  hello_body hello() const;
  log_speaker speaker() const { return {"cluster", 0}; }

  std::shared_ptr<const cluster_parts> parts_;
  std::function<void(const std::string&, bool)> on_dial_;
  member_id own_;
  std::unique_ptr<cluster_core> core_;
  std::map<member_id, peer> peers_;
  std::shared_ptr<watch_desk> watches_;
  message_delivery delivery_;
  std::map<std::string, std::map<member_id, group_members>> groups_; // of others
  std::set<std::string> shown_names_;                                // in the registry
  clock::time_point next_second_;
  bool groups_changed_ = false;
  bool members_changed_ = false;
  bool declared_down_ = false;
  bool leaving_ = false;
  bool left_ = false;
  bool applying_ = false;
};

} // namespace caf_app

// What links ask of the cluster layer.
#include <caf/actor_system_config.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/cluster_node.hpp"
#include "caf_app/cluster/random_source.hpp"
#include "caf_app/cluster/type_digest.hpp"

namespace caf_app {

hello_body cluster_node::hello() const {
  const auto& settings = parts_->settings;
  hello_body result;
  result.cluster = settings.cluster;
  result.node = own_;
  result.address = settings.address;
  result.roles = settings.roles;
  result.caf_node = to_string(parts_->context->system.node());
  result.type_digest = type_digest(parts_->context->system.config());
  result.frame_bytes_max = static_cast<uint32_t>(settings.links.frame_bytes_max);
  result.proves_secret = settings.certificates ? 0 : 1;
  result.nonce = random_bits<link_nonce>();
  return result;
}

handshake_options cluster_node::greeting(link_role role, const std::string& expected_peer) {
  handshake_options result;
  result.role = role;
  result.own = hello();
  result.secret = parts_->settings.secret;
  result.expected_peer = expected_peer;
  result.listed = parts_->settings.voters;
  result.admit = [weak = weak_from_this()](const hello_body& peer) -> refused_body {
    const auto self = weak.lock();
    if (!self)
      return {refusal::leaving, "the node ends"};
    return self->core_->admit(peer.node, self->now());
  };
  return result;
}

std::shared_ptr<const tls_context> cluster_node::server_tls() const {
  const auto& certificates = parts_->settings.certificates;
  return certificates ? certificates->get().server : nullptr;
}

std::shared_ptr<const tls_client_context> cluster_node::client_tls() const {
  const auto& certificates = parts_->settings.certificates;
  return certificates ? certificates->get().client : nullptr;
}

peer_channel_ptr cluster_node::link_up(link_handle& link, channel_output& output,
                                       const hello_body& hello) {
  const auto& id = hello.node;
  caf::node_id node;
  if (parse(hello.caf_node, node))
    return nullptr;
  cut(id, "replaced by a newer connection");
  auto& known = peers_[id];
  const auto anew = !known.channel;
  if (anew) {
    known.channel = std::make_shared<peer_channel>(parts_->context, id, node);
    parts_->channels->put(known.channel);
  }
  const auto channel = known.channel;
  known.link = &link;
  channel->open(output, {parts_->settings.links.link_buffer_bytes, hello.frame_bytes_max});
  parts_->context->counters.links_up.add();
  parts_->log->info(speaker(), "link to " + to_string(id) + " is up",
                    {{"address", hello.address}, {"version", link_version_max}});
  on_dial_(id.name, true);
  member_record record;
  record.id = id;
  record.address = hello.address;
  record.roles = hello.roles;
  record.caf_node = hello.caf_node;
  core_->link_up(record, now());
  apply();
  if (anew)
    renew_names_of(id);
  const auto found = peers_.find(id);
  return found != peers_.end() && found->second.link == &link ? channel : nullptr;
}

// A peer that was given up and comes back as the same life holds the names that it held; their
// handles have ended with its former channel.
void cluster_node::renew_names_of(const member_id& id) {
  for (const auto& [name, entry] : core_->names().replica())
    if (entry.holder == id)
      on_replica({entry, false});
}

void cluster_node::link_down(link_handle& link, const member_id& id, const std::string& why) {
  const auto found = peers_.find(id);
  if (found == peers_.end() || found->second.link != &link)
    return;
  found->second.link = nullptr;
  parts_->context->counters.links_lost.add();
  parts_->log->info(speaker(), "link to " + to_string(id) + " ended: " + why);
  watches_->forget(found->second.channel);
  core_->link_down(id, now());
  apply();
}

void cluster_node::no_link(const std::string& expected_peer, const std::string& address,
                           const refused_body& why, bool by_peer) {
  parts_->context->counters.links_refused.add();
  const auto reason = why.why == refusal::none ? "" : to_string(why.why) + ": ";
  parts_->log->warning(speaker(),
                       (by_peer ? "a peer refuses a link: " : "link refused: ") + reason + why.text,
                       {{"peer", expected_peer}, {"address", address}});
  if (!expected_peer.empty())
    on_dial_(expected_peer, false);
  if (by_peer && why.why == refusal::declared_down) {
    core_->told_down(now());
    apply();
  }
}

bool cluster_node::on_frame(const member_id& from, frame_kind kind, std::string_view body) {
  const auto good = core_->on_frame(from, kind, body, now());
  apply();
  return good;
}

std::vector<cluster_node::dial_target> cluster_node::to_dial() const {
  std::map<std::string, std::string> targets;
  if (leaving_)
    return {};
  // The smaller name dials, and a node that nobody can dial does always.
  const auto dials = [&](const std::string& name) {
    return parts_->settings.address.empty() || own_.name < name;
  };
  for (const auto& [name, address] : parts_->settings.peers)
    if (dials(name))
      targets.emplace(name, address);
  for (const auto& [id, record] : core_->members().table().records())
    if (!record.gone() && id.name != own_.name && dials(id.name) && !record.address.empty())
      targets.emplace(id.name, record.address);
  for (const auto& [id, x] : peers_)
    if (x.link != nullptr)
      targets.erase(id.name);
  std::vector<dial_target> result;
  for (auto& [name, address] : targets)
    result.push_back({name, address});
  return result;
}

} // namespace caf_app

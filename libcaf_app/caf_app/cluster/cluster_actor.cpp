#include "caf_app/cluster/cluster_actor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <caf/send.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/cluster/dial_socket.hpp"
#include "caf_app/cluster/link_actor.hpp"
#include "caf_app/cluster/random_source.hpp"
#include "caf_app/registry/liveness.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::milliseconds tick_period{100};

link_actor& link_of(const caf::actor& handle) {
  return *static_cast<link_actor*>(caf::actor_cast<caf::abstract_actor*>(handle));
}

} // namespace

cluster_actor::cluster_actor(caf::actor_config& config, event_loop* loop,
                             std::shared_ptr<const cluster_parts> parts, listen_socket_ptr socket,
                             caf::actor resolver)
    : loop_app_actor(config, loop), parts_(std::move(parts)), socket_(std::move(socket)),
      resolver_(std::move(resolver)), dials_(random_bits<uint32_t>()),
      tick_([this] { on_tick(); }) {}

bool cluster_actor::cleanup(caf::error&& reason, caf::execution_unit* unit) {
  tick_.cancel();
  if (acceptor_)
    std::exchange(acceptor_, nullptr)->close();
  end_life();
  return loop_app_actor::cleanup(std::move(reason), unit);
}

caf::behavior cluster_actor::make_behavior() {
  begin_life();
  if (socket_)
    acceptor_ = acceptor::open(*loop(), socket_, *this);
  loop()->timers().arm(tick_, loop()->now() + tick_period);
  return {[this](const claim_name& wanted) -> caf::result<void> {
            auto promise = make_response_promise();
            claim(wanted, promise);
            return caf::delegated<void>{};
          },
          [this](const release_name& x) { parts_->names->unregister_name(x.name); },
          [this](caf::tick_atom) {
            if (node_ && node_->declared_down()) {
              end_life();
              begin_life();
            }
          }};
}

void cluster_actor::claim(const claim_name& wanted, caf::response_promise promise) {
  parts_->names->claim_name(wanted.name, wanted.holder, claim_mode::once,
                            [promise](const caf::error& why) mutable {
                              if (why)
                                promise.deliver(why);
                              else
                                promise.deliver(caf::unit);
                            });
}

// -- lives --------------------------------------------------------------------------------------

void cluster_actor::begin_life() {
  dials_ = dial_book{random_bits<uint32_t>()}; // the dials of the life before ended with it
  node_ = std::make_shared<cluster_node>(parts_, [this](const std::string& name, bool linked) {
    if (linked)
      dials_.linked(name, loop()->now());
    else
      dials_.failed(name, loop()->now());
  });
  parts_->desk->attach(node_);
}

void cluster_actor::end_life() {
  if (const auto node = std::exchange(node_, nullptr))
    node->shut("the cluster layer ends");
  for (auto* links : {&accepted_, &dialled_})
    for (const auto& link : std::exchange(*links, {}))
      link_of(link).begin_end();
}

// Runs outside of message handlers: another life begins in one.
void cluster_actor::on_tick() {
  loop()->timers().arm(tick_, loop()->now() + tick_period);
  node_->tick();
  for (const auto& target : node_->to_dial())
    if (dials_.begin(target.name, loop()->now()))
      dial(target);
  const auto gone = [](const caf::actor& x) {
    return has_ended(*caf::actor_cast<caf::abstract_actor*>(x));
  };
  std::erase_if(accepted_, gone);
  std::erase_if(dialled_, gone);
  if (node_->declared_down())
    caf::anon_send(this, caf::tick_atom_v);
}

// -- links --------------------------------------------------------------------------------------

void cluster_actor::dial(cluster_node::dial_target target) {
  if (parse_socket_address(target.address))
    return connect(target.name, target.address);
  ask(resolver_, limits::cluster::connect_timeout, target.address)
      .then([this, name = target.name](const std::string& address) { connect(name, address); },
            [this, name = target.name](caf::error& why) {
              parts_->log->warning({"cluster", 0}, "cannot resolve: " + describe(why),
                                   {{"peer", name}});
              dials_.failed(name, loop()->now());
            });
}

void cluster_actor::connect(const std::string& name, const std::string& address) {
  const auto where = parse_socket_address(address);
  const auto fd = where ? begin_connect(*where, parts_->settings.source) : -1;
  if (fd < 0) {
    parts_->log->debug({"cluster", 0}, std::string{"cannot dial: "} + std::strerror(errno),
                       {{"peer", name}, {"address", address}});
    return dials_.failed(name, loop()->now());
  }
  start_link(fd, link_role::dialler, name, address);
}

void cluster_actor::start_link(int fd, link_role role, const std::string& peer,
                               const std::string& address) {
  auto link = spawn_on<link_actor>(system(), loop(), std::weak_ptr<link_host>{node_},
                                   link_start{fd, role, peer, address});
  (role == link_role::dialler ? dialled_ : accepted_).push_back(std::move(link));
}

void cluster_actor::on_accept(int fd, const socket_address& peer) {
  start_link(fd, link_role::listener, {}, to_string(peer));
  limit_handshakes();
}

// Silent connections must not keep others out: the oldest makes room.
void cluster_actor::limit_handshakes() {
  if (accepted_.size() <= parts_->settings.handshakes_max)
    return;
  std::erase_if(accepted_, [](const caf::actor& x) {
    return has_ended(*caf::actor_cast<caf::abstract_actor*>(x));
  });
  size_t waiting = 0;
  for (const auto& link : accepted_)
    waiting += link_of(link).shaking_hands() ? 1 : 0;
  for (auto i = accepted_.begin(); waiting > parts_->settings.handshakes_max; ++i) {
    if (link_of(*i).shaking_hands()) {
      link_of(*i).begin_end();
      --waiting;
    }
  }
}

void cluster_actor::on_accept_paused(int error) {
  parts_->log->warning({"cluster", 0}, std::string{"accepting pauses: "} + std::strerror(error));
}

void cluster_actor::on_accept_exception() {
  parts_->log->error({"cluster", 0}, "an exception while accepting a link");
}

} // namespace caf_app

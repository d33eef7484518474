// Two deterministic actor systems, a and b, whose channels lead to each other: frames are carried
// by hand, in order, whenever the test says so. What a connection does beside that is link_actor's.
#pragma once

#include <memory>
#include <string>

#include "caf_app/cluster/body_codec.hpp"
#include "caf_app/cluster/error_codec.hpp"
#include "caf_app/cluster/frame_reader.hpp"
#include "caf_app/cluster/message_delivery.hpp"
#include "caf_app/cluster/node_identity.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"
#include "caf_app/registry/asking.hpp"

#include <caf/test/dsl.hpp> // last: its macros are global

struct linked_config : caf::actor_system_config, caf_app::hook_carrier {
  linked_config() {
    caf_app::add_messages(*this);
    load<caf_app::node_identity>();
  }
};

/// One of the two.
struct linked_side : test_coordinator_fixture<linked_config>, caf_app::channel_output {
  std::shared_ptr<caf_app::link_context> context =
      std::make_shared<caf_app::link_context>(sys, nullptr);
  std::shared_ptr<caf_app::channel_index> channels = std::make_shared<caf_app::channel_index>();
  std::shared_ptr<caf_app::watch_desk> watches = std::make_shared<caf_app::watch_desk>(context);
  std::vector<std::pair<std::string, caf::message>> published;
  caf_app::message_delivery delivery{context, channels, watches,
                                     [this](const std::string& group, const caf::message& content) {
                                       published.emplace_back(group, content);
                                     }};
  caf_app::peer_channel_ptr peer;
  bool overflown = false;

  ~linked_side() override {
    if (peer)
      peer->end(caf::exit_reason::remote_link_unreachable);
    consume_messages();
  }

  void meet(linked_side& other, caf_app::member_id id) {
    peer = std::make_shared<caf_app::peer_channel>(context, std::move(id), other.sys.node());
    channels->put(peer);
  }

  void flush() override {}
  void overflow() override { overflown = true; }

  /// The handle that `actor` of the other side has here.
  caf::actor remote(const caf::actor& actor) {
    return caf::actor_cast<caf::actor>(peer->proxy(actor.id()));
  }

  void on_frame(const caf_app::frame_view& frame) {
    using caf_app::frame_kind;
    switch (frame.kind) {
      case frame_kind::message: CAF_REQUIRE(delivery.on_message(peer, frame)); break;
      case frame_kind::error_reply: CAF_REQUIRE(delivery.on_error_reply(peer, frame.body)); break;
      case frame_kind::down: {
        const auto body = caf_app::read_body<caf_app::down_body>(frame.body);
        CAF_REQUIRE(body);
        peer->on_down(body->actor, caf_app::from_wire(body->reason));
        break;
      }
      case frame_kind::monitor:
      case frame_kind::demonitor: on_watch(frame); break;
      default: CAF_FAIL("unexpected frame: " << to_string(frame.kind));
    }
  }

  void on_watch(const caf_app::frame_view& frame) {
    const auto starts = frame.kind == caf_app::frame_kind::monitor;
    if ((frame.flags & caf_app::link_flag) != 0) {
      const auto body = caf_app::read_body<caf_app::link_body>(frame.body);
      CAF_REQUIRE(body);
      starts ? watches->on_link(peer, body->actor, body->source)
             : watches->on_unlink(peer, body->actor, body->source);
      return;
    }
    const auto body = caf_app::read_body<caf_app::actor_body>(frame.body);
    CAF_REQUIRE(body);
    starts ? watches->on_monitor(peer, body->actor) : watches->on_demonitor(peer, body->actor);
  }

  /// @returns whether anything was carried from here to `to`
  bool carry(linked_side& to) {
    std::string bytes;
    if (peer->take(bytes, ~size_t{0}) == 0)
      return false;
    caf_app::frame_reader reader{caf_app::limits::cluster::frame_bytes_max};
    reader.append(bytes);
    while (const auto frame = reader.next())
      to.on_frame(*frame);
    CAF_REQUIRE(reader.fault() == caf_app::frame_fault::none);
    return true;
  }
};

struct linked_systems {
  linked_side a;
  linked_side b;

  linked_systems() {
    a.meet(b, {"b", {1, 2}});
    b.meet(a, {"a", {1, 1}});
    connect();
  }

  void connect(const caf_app::link_outbox::options& limits = {}) {
    a.peer->open(a, limits);
    b.peer->open(b, limits);
  }

  void disconnect() {
    a.peer->close();
    b.peer->close();
    a.watches->forget(a.peer);
    b.watches->forget(b.peer);
  }

  /// Runs actors and carries frames until nothing is left to do.
  void settle() {
    bool again = true;
    while (again) {
      a.consume_messages();
      b.consume_messages();
      const auto there = a.carry(b);
      again = b.carry(a) || there || a.sched.has_job() || b.sched.has_job();
    }
  }
};

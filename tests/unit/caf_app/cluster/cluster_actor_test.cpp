// Two nodes of a cluster in one process, with real sockets and loops.
#define CAF_SUITE cluster_actor
#include "caf_app/cluster/cluster_actor.hpp"

#include "caf_app/cluster/node_identity.hpp"
#include "caf_app/loop/scheduler.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"
#include "support/loop_fixture.hpp"

#include <caf/test/dsl.hpp> // last: its macros are global

using namespace caf_app;
using namespace std::chrono_literals;

namespace {

struct config : caf::actor_system_config, hook_carrier {
  config() {
    add_messages(*this);
    load_scheduler(*this, 1);
    load<node_identity>();
  }
};

/// A node that listens already; nobody runs its cluster layer yet.
struct side {
  explicit side(const std::string& own, const std::string& peer)
      : system(cfg), loop(system, {}), parts(std::make_shared<cluster_parts>()) {
    auto& settings = parts->settings;
    settings.cluster = "test";
    settings.node = own;
    settings.secret = "0123456789abcdef";
    settings.voters = {own, peer};
    settings.quorum = quorum_mode::none;
    parts->context = std::make_shared<link_context>(system, &loop);
    parts->channels = std::make_shared<channel_index>();
    parts->desk = std::make_shared<cluster_desk>(parts->context);
    parts->names = registry::make();
    parts->names->connect(parts->desk);
    parts->log = make_silent_logger();
    auto listening = listen_tcp(*parse_socket_address("127.0.0.1:0"), 16, port_sharing::exclusive);
    CAF_REQUIRE(listening);
    socket = *listening;
    settings.address = to_string(socket->address());
  }

  ~side() {
    if (actor)
      caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
    actor = nullptr;
    system.await_all_actors_done();
  }

  void begin() {
    actor = caf::actor{spawn_on<cluster_actor>(
        system, &loop, std::shared_ptr<const cluster_parts>{parts}, socket, caf::actor{})};
  }

  bool linked() const {
    for (const auto& node : parts->desk->view().nodes)
      if (node.linked)
        return true;
    return false;
  }

  config cfg;
  caf::actor_system system;
  event_loop loop;
  std::shared_ptr<cluster_parts> parts;
  listen_socket_ptr socket;
  caf::actor actor;
};

/// Each look is a job of the loop, so that it does not starve it.
bool becomes_linked(side& one) {
  const auto deadline = std::chrono::steady_clock::now() + test::patience;
  while (!test::on_loop(one.loop, [&] { return one.linked(); }))
    if (std::chrono::steady_clock::now() > deadline)
      return false;
  return true;
}

} // namespace

CAF_TEST(two nodes that begin at once have one link whoever would dial) {
  for (int round = 0; round < 200; ++round) {
    side a{"a", "b"}, b{"b", "a"};
    a.parts->settings.peers = {{"b", b.parts->settings.address}};
    b.parts->settings.peers = {{"a", a.parts->settings.address}};
    a.begin();
    b.begin();
    CAF_REQUIRE(becomes_linked(a));
    CAF_REQUIRE(becomes_linked(b));
    for (const auto* one : {&a, &b}) {
      const auto& counters = one->parts->context->counters;
      CAF_CHECK_EQUAL(counters.links_up.value(), 1u);
      CAF_CHECK_EQUAL(counters.links_lost.value(), 0u);
      CAF_CHECK_EQUAL(counters.links_refused.value(), 0u);
    }
  }
}

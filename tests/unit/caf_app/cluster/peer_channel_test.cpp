// Two actor systems over a link that is carried by hand: what CAF's handles do across nodes.
#define CAF_SUITE peer_channel
#include "caf_app/cluster/peer_channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include "caf_app/cluster/wire_message.hpp"
#include "support/linked_systems.hpp"

using namespace std::chrono_literals;
using caf_app::app_actor;
using caf_app::errc;

namespace {

using texts = std::shared_ptr<std::vector<std::string>>;

caf::behavior server(app_actor* self) {
  return {[](int x) { return 2 * x; },
          [self](const std::string& what) -> caf::result<int> {
            if (what == "quit")
              self->quit(caf::make_error(errc::conflict, std::string{"as asked"}));
            return self->make_response_promise<caf::typed_response_promise<int>>(); // never answers
          },
          [](const caf::actor& other) { caf::anon_send(other, 7); }};
}

struct socket_pair {
  int near = -1;
  int far = -1;

  socket_pair() {
    int fds[2];
    CAF_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
    near = fds[0];
    far = fds[1];
  }

  ~socket_pair() {
    ::close(near);
    ::close(far);
  }

  /// What has arrived.
  std::string received() const {
    std::string result;
    char buffer[65536];
    for (ssize_t n = 0; (n = ::recv(far, buffer, sizeof buffer, 0)) > 0;)
      result.append(buffer, static_cast<size_t>(n));
    return result;
  }
};

struct fixture : linked_systems {
  texts heard = std::make_shared<std::vector<std::string>>();
  caf::actor target = b.sys.spawn(server);
  std::vector<caf::actor> clients;

  fixture() { b.context->exposed.expose(caf::actor_cast<caf::strong_actor_ptr>(target)); }

  ~fixture() {
    for (const auto& x : clients)
      caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
    caf::anon_send_exit(target, caf::exit_reason::kill);
    connect();
    settle();
  }

  template <class F>
  caf::actor client(F body) {
    auto result = a.sys.spawn([body](app_actor* self) -> caf::behavior {
      body(self);
      return {[](caf::tick_atom) {}};
    });
    clients.push_back(result);
    a.consume_messages();
    return result;
  }

  template <class Request>
  auto asks(Request request, std::chrono::milliseconds timeout = 1s) {
    return [this, request, timeout, out = heard](app_actor* self) {
      self->ask(a.remote(target), timeout, request)
          .then([out](int x) { out->push_back("=" + std::to_string(x)); },
                [out](caf::error& why) { out->push_back(to_string(caf_app::code_of(why))); });
    };
  }

  auto watches() {
    return [this, out = heard](app_actor* self) {
      self->watch(a.remote(target),
                  [out](const caf_app::down& x) { out->push_back(caf_app::describe(x.reason)); });
    };
  }

  /// A plain message to the target, not carried.
  void send(const std::string& text) {
    caf::anon_send(a.remote(target), text);
    a.consume_messages();
  }

  /// The texts of message frames, which have to be whole.
  std::vector<std::string> texts_in(std::string_view bytes) {
    std::vector<std::string> result;
    caf_app::frame_reader reader{caf_app::limits::cluster::frame_bytes_max};
    reader.append(bytes);
    while (const auto frame = reader.next()) {
      auto body = frame->body;
      CAF_REQUIRE(caf_app::take_body<caf_app::message_head>(body));
      auto content = caf_app::read_message(b.sys.dummy_execution_unit(), body);
      CAF_REQUIRE(content);
      result.push_back(content->get_as<std::string>(0));
    }
    CAF_CHECK_EQUAL(reader.held(), 0u);
    return result;
  }

  /// Nothing is carried.
  void settle_a() { a.consume_messages(); }

  void check(std::vector<std::string> expected) { CAF_CHECK_EQUAL(*heard, expected); }
  void check(errc expected) { check(std::vector{to_string(expected)}); }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(peer_channel_tests, fixture)

  CAF_TEST(a request comes back answered and nothing is left) {
    client(asks(21));
    settle();
    check({"=42"});
    CAF_CHECK_EQUAL(a.peer->pending(), 0u);
  }

  CAF_TEST(an ask for a dead actor fails at once) {
    caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
    settle();
    client(asks(21));
    settle();
    check(errc::noproc);
    CAF_CHECK_EQUAL(a.peer->pending(), 0u);
  }

  CAF_TEST(an ask whose target dies with the promise fails at once) {
    client(asks(std::string{"quit"}));
    settle();
    check(errc::target_failed);
  }

  CAF_TEST(what is sent to a node that was heard of waits for the first link) {
    const caf_app::member_id life{"b", {1, 3}};
    a.meet(b, life); // not linked yet
    b.meet(a, {"a", {1, 3}});
    client(asks(21));
    settle_a();
    check(std::vector<std::string>{});
    CAF_CHECK_EQUAL(a.peer->pending(), 1u);
    connect();
    settle();
    check({"=42"});
    CAF_CHECK_EQUAL(a.peer->pending(), 0u);
  }

  CAF_TEST(what waits for a node that is given up before the first link fails) {
    a.meet(b, {"b", {1, 3}});
    client(asks(21));
    settle_a();
    a.peer->end(caf::exit_reason::remote_link_unreachable);
    settle_a();
    check(errc::link_lost);
    CAF_CHECK_EQUAL(a.peer->pending(), 0u);
  }

  CAF_TEST(only short messages wait for the first link) {
    a.meet(b, {"b", {1, 3}});
    client(asks(std::string(64 * 1024, 'x')));
    settle_a();
    check(errc::link_lost);
    CAF_CHECK_EQUAL(a.peer->queued(), 0u);
  }

  CAF_TEST(a lost link answers what is open and what comes later) {
    client(asks(std::string{"mute"}));
    settle();
    check(std::vector<std::string>{});
    disconnect();
    settle_a();
    client(asks(21));
    settle_a();
    check({to_string(errc::link_lost), to_string(errc::link_lost)});
  }

  CAF_TEST(a link that is lost after an announced leave says so) {
    client(asks(std::string{"mute"}));
    settle();
    a.peer->announce_leave();
    check(std::vector<std::string>{}); // what is open may still be answered
    disconnect();
    settle_a();
    client(asks(21));
    settle_a();
    check({to_string(errc::node_left), to_string(errc::node_left)});
  }

  CAF_TEST(a late reply is counted and dropped) {
    client(asks(21, 10ms));
    a.advance_time(20ms);
    a.consume_messages();
    check(errc::timed_out);
    a.peer->expire(a.sys.clock().now());
    settle();
    check(errc::timed_out);
    CAF_CHECK_EQUAL(a.context->counters.late_replies.value(), 1u);
  }

  CAF_TEST(a request that is read after its deadline is dropped) {
    client(asks(21, 10ms));
    a.carry(b);
    b.advance_time(10ms);
    b.consume_messages();
    CAF_CHECK_EQUAL(b.cfg.hooks()->expired_requests.value(), 1u);
    settle();
    check(std::vector<std::string>{});
  }

  CAF_TEST(a watch ends with the reason of its target) {
    client(watches());
    settle();
    caf::anon_send(target, std::string{"quit"});
    settle();
    check({"the state of the target forbids it: as asked"});
  }

  CAF_TEST(a watch of a dead actor ends with noproc) {
    caf::anon_send_exit(target, caf::exit_reason::user_shutdown);
    settle();
    client(watches());
    settle();
    CAF_REQUIRE_EQUAL(heard->size(), 1u);
    CAF_CHECK_EQUAL(heard->front().find(to_string(errc::noproc)), 0u);
  }

  CAF_TEST(a watch survives a link that comes back) {
    client(watches());
    settle();
    disconnect();
    connect();
    settle();
    check(std::vector<std::string>{});
    caf::anon_send(target, std::string{"quit"});
    settle();
    CAF_CHECK_EQUAL(heard->size(), 1u);
  }

  CAF_TEST(a target that ended while the link was down is told on the next) {
    client(watches());
    settle();
    disconnect();
    caf::anon_send(target, std::string{"quit"});
    b.consume_messages();
    connect();
    settle();
    CAF_CHECK_EQUAL(heard->size(), 1u);
  }

  CAF_TEST(a node that is given up ends watches with noconnection) {
    client(watches());
    settle();
    a.peer->end(caf::exit_reason::remote_link_unreachable);
    settle_a();
    check(errc::link_lost);
  }

  CAF_TEST(a handle inside a message leads back) {
    auto got = std::make_shared<int>(0);
    auto receiver =
        a.sys.spawn([got](app_actor*) -> caf::behavior { return {[got](int x) { *got = x; }}; });
    clients.push_back(receiver);
    caf::anon_send(a.remote(target), receiver);
    settle();
    CAF_CHECK_EQUAL(*got, 7);
  }

  CAF_TEST(a linked actor ends with the other one in both directions) {
    auto near = client([this](app_actor* self) { self->link_to(a.remote(target)); });
    settle();
    caf::anon_send(target, std::string{"quit"});
    settle();
    CAF_CHECK(caf_app::has_ended(*caf::actor_cast<caf::abstract_actor*>(near)));

    auto other = b.sys.spawn(server);
    b.context->exposed.expose(caf::actor_cast<caf::strong_actor_ptr>(other));
    auto second = client([this, other](app_actor* self) { self->link_to(a.remote(other)); });
    settle();
    caf::anon_send_exit(second, caf::exit_reason::user_shutdown);
    settle();
    CAF_CHECK(caf_app::has_ended(*caf::actor_cast<caf::abstract_actor*>(other)));
  }

  CAF_TEST(nobody ends an actor that it is not linked to) {
    caf::anon_send_exit(a.remote(target), caf::exit_reason::kill);
    client([this](app_actor* self) {
      self->send_exit(a.remote(target), caf::exit_reason::user_shutdown);
    });
    settle();
    CAF_CHECK(!caf_app::has_ended(*caf::actor_cast<caf::abstract_actor*>(target)));
    CAF_CHECK_EQUAL(a.context->counters.refused_messages.value(), 2u);
  }

  CAF_TEST(only exposed actors can be addressed) {
    auto hidden = b.sys.spawn(server);
    client([this, hidden, out = heard](app_actor* self) {
      self->ask(a.remote(hidden), 1s, 21)
          .then([](int) { CAF_FAIL("it answered"); },
                [out](caf::error& why) { out->push_back(to_string(caf_app::code_of(why))); });
    });
    settle();
    check(errc::noproc);
    caf::anon_send_exit(hidden, caf::exit_reason::kill);
  }

  CAF_TEST(above the bound asks fail and plain messages are dropped) {
    disconnect();
    connect({1000, 16u << 20, 65536});
    caf::anon_send(a.remote(target), std::string(700, 'x'));
    caf::anon_send(a.remote(target), std::string(700, 'x'));
    CAF_CHECK_EQUAL(a.context->counters.sends_dropped.value(), 1u);
    client(asks(std::string(700, 'x')));
    a.consume_messages();
    check(errc::peer_congested);
  }

  CAF_TEST(a message longer than the peer accepts is refused) {
    disconnect();
    connect({1u << 20, 1000, 65536});
    client(asks(std::string(2000, 'x')));
    a.consume_messages();
    check(errc::malformed_message);
  }

  CAF_TEST(a single message leaves at once and those close behind it in a batch) {
    socket_pair pair;
    std::string early;
    a.peer->take(early, ~size_t{0});
    a.peer->express(pair.near);
    a.sched.clock().current_time += 1s;
    send("first");
    auto bytes = pair.received();
    CAF_CHECK_EQUAL(texts_in(bytes), std::vector<std::string>{"first"});
    CAF_CHECK_EQUAL(a.peer->queued(), 0u);
    send("second"); // no time has passed
    CAF_CHECK_EQUAL(pair.received(), "");
    CAF_CHECK(a.peer->queued() > 0);
    a.sched.clock().current_time += 1s;
    send("third"); // never past one that waits
    CAF_CHECK_EQUAL(pair.received(), "");
    std::string batch;
    a.peer->take(batch, ~size_t{0});
    a.sched.clock().current_time += 1s;
    send("fourth"); // the loop is still writing
    CAF_CHECK_EQUAL(pair.received(), "");
    a.peer->take(batch, ~size_t{0});
    CAF_CHECK_EQUAL(texts_in(batch), (std::vector<std::string>{"second", "third", "fourth"}));
    std::string nothing;
    CAF_CHECK_EQUAL(a.peer->take(nothing, ~size_t{0}), 0u);
    a.sched.clock().current_time += 1s;
    send("fifth");
    CAF_CHECK_EQUAL(texts_in(pair.received()), std::vector<std::string>{"fifth"});
  }

  CAF_TEST(what a turn sends leaves together at its end) {
    socket_pair pair;
    std::string early;
    a.peer->take(early, ~size_t{0});
    a.peer->express(pair.near);
    a.sched.clock().current_time += 1s;
    {
      const caf_app::turn slice;
      send("first");
      a.sched.clock().current_time += 1s;
      send("second");
      CAF_CHECK_EQUAL(pair.received(), "");
      a.peer->push(caf_app::frame_kind::monitor, 0, "waits for nobody"); // wakes the loop
    }
    CAF_CHECK_EQUAL(a.peer->queued(), 0u);
    caf_app::frame_reader reader{caf_app::limits::cluster::frame_bytes_max};
    reader.append(pair.received());
    std::vector<caf_app::frame_kind> kinds;
    while (const auto frame = reader.next())
      kinds.push_back(frame->kind);
    using kind = caf_app::frame_kind;
    CAF_CHECK(kinds == (std::vector{kind::monitor, kind::message, kind::message}));
  }

  CAF_TEST(a turn that sends much does not wait for its end) {
    socket_pair pair;
    std::string early;
    a.peer->take(early, ~size_t{0});
    a.peer->express(pair.near);
    const caf_app::turn slice;
    for (size_t i = 1; i < caf_app::express_lane::batch_messages_max; ++i)
      send("x");
    CAF_CHECK_EQUAL(pair.received(), "");
    send("x");
    CAF_CHECK_EQUAL(texts_in(pair.received()).size(), caf_app::express_lane::batch_messages_max);
  }

  CAF_TEST(what a full connection does not take leaves next and first) {
    socket_pair pair;
    std::string early;
    a.peer->take(early, ~size_t{0});
    a.peer->express(pair.near);
    std::vector<std::string> expected;
    for (int i = 0; a.peer->queued() == 0; ++i) {
      a.sched.clock().current_time += 1s;
      expected.push_back(std::to_string(i) + std::string(10'000, 'x'));
      send(expected.back());
    }
    expected.emplace_back("last");
    send(expected.back());
    auto bytes = pair.received();
    a.peer->take(bytes, ~size_t{0});
    CAF_CHECK(texts_in(bytes) == expected);
  }

  CAF_TEST(nothing is written past a closed link) {
    socket_pair pair;
    std::string early;
    a.peer->take(early, ~size_t{0});
    a.peer->express(pair.near);
    disconnect();
    a.sched.clock().current_time += 1s;
    send("x");
    CAF_CHECK_EQUAL(pair.received(), "");
  }

  CAF_TEST_FIXTURE_SCOPE_END()

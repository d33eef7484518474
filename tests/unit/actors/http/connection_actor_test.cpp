#define CAF_SUITE connection_actor
#include "actors/http/connection_actor.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/http/actor_handler.hpp"
#include "caf_app/messages/http.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"
#include "support/http/h1_session_fixture.hpp"
#include "support/loop_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace caf_app::test;
using namespace std::chrono_literals;

namespace {

struct config_with_hooks : loop_config, hook_carrier {
  config_with_hooks() { add_messages(*this); }
};

/// What an actor with an HTTP face has been told.
struct asked {
  int requests = 0;
  int cancelled = 0;
};

/// Answers "/now" at once and nothing else ever.
caf::behavior slow_actor(app_actor* self, std::shared_ptr<watched<asked>> books) {
  auto silent = std::make_shared<std::vector<caf::response_promise>>();
  self->attach_functor([silent](const caf::error&) { silent->clear(); });
  return {[=](const http_request& x) -> caf::result<caf_app::http_response> {
            books->change([](asked& y) { ++y.requests; });
            if (x.query == "now")
              return caf_app::http_response{200, {}, "asked"};
            silent->push_back(self->make_response_promise());
            return caf::delegated<caf_app::http_response>{};
          },
          [books](const http_cancel&) { books->change([](asked& y) { ++y.cancelled; }); }};
}

struct fixture {
  fixture() {
    auto made = make_config();
    auto table = site_table::make(
        made, *books,
        [this](const route_entry& entry) -> caf::expected<std::unique_ptr<route_handler>> {
          if (entry.config.path == "/actor")
            return std::make_unique<actor_handler>(entry, names, *books);
          return std::make_unique<scripted_handler>(entry.config.path, handlers);
        });
    CAF_REQUIRE(table);
    context = std::make_shared<loop_context>(*table, std::make_shared<http_metrics>(*books), log, 0,
                                             loop.now());
    target = sys.spawn(slow_actor, told);
    CAF_REQUIRE(names->register_name("slow", target));
  }

  ~fixture() {
    for (const auto& which : spawned)
      caf::anon_send_exit(which, caf::exit_reason::kill);
    caf::anon_send_exit(target, caf::exit_reason::kill);
    spawned.clear();
    target = nullptr;
    sys.await_all_actors_done();
    wait_for_no_sockets(loop);
  }

  static http_config_ptr make_config() {
    auto made = std::make_shared<http_config>(scripted_config());
    auto& route = made->site[0].route.emplace_back();
    route.path = route.name = "/actor";
    route.kind = route_kind::actor;
    route.actor = {"slow", actor_face::http};
    return made;
  }

  /// A client of a new connection.
  peer_socket connect(connection pair = unix_pair()) {
    spawned.push_back(on_loop(loop, [&] {
      return caf::actor{spawn_on<connection_actor>(sys, &loop, context, listener,
                                                   pair.ours.release(), socket_address{})};
    }));
    return std::move(pair.peer);
  }

  /// The next response of `client`, without its date.
  static std::string response(peer_socket& client, size_t content) {
    std::string head;
    while (!head.ends_with("\r\n\r\n")) {
      const auto byte = client.receive(1);
      if (byte.empty())
        return "closed";
      head += byte;
    }
    return undated(head + client.receive(content));
  }

  /// Waits until the last connection is gone.
  void wait_for_ends() {
    for (const auto& which : spawned)
      wait_for_end(which);
  }

  void wait_for_end(const caf::actor& which) {
    caf::scoped_actor self{sys};
    self->wait_for(which);
  }

  uint64_t closed(const std::string& reason) {
    return count("caf_http_closed_total{reason=\"" + reason + "\"}");
  }

  uint64_t count(const std::string& name) {
    const auto text = books->exposition();
    return std::stoul(text.substr(text.find("\n" + name + " ") + name.size() + 2));
  }

  config_with_hooks config;
  caf::actor_system sys{config};
  event_loop loop{sys, {}};
  metrics_ptr books = std::make_shared<metrics>();
  logger_ptr log = make_silent_logger();
  std::shared_ptr<registry> names = registry::make();
  std::shared_ptr<handler_books> handlers = std::make_shared<handler_books>();
  std::shared_ptr<watched<asked>> told = std::make_shared<watched<asked>>();
  std::shared_ptr<listener_state> listener = std::make_shared<listener_state>();
  std::shared_ptr<loop_context> context;
  std::vector<caf::actor> spawned;
  caf::actor target;
};

const std::string ok_now = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                           "Content-Length: 5\r\n\r\n/now?";

} // namespace

CAF_TEST_FIXTURE_SCOPE(connection_actor_tests, fixture)

  CAF_TEST(a connection answers request after request) {
    auto client = connect();
    for (int i = 0; i < 3; ++i) {
      client.send(get("/now"));
      CAF_CHECK_EQUAL(response(client, 5), ok_now);
    }
    CAF_CHECK_EQUAL(context->connections.load(), 1u);
    client.close();
    wait_for_ends();
    CAF_CHECK_EQUAL(closed("client"), 1u);
    CAF_CHECK_EQUAL(context->connections.load(), 0u);
  }

  CAF_TEST(a large response arrives whole) {
    auto client = connect();
    constexpr size_t size = 8'000'000; // more than the kernel buffers
    client.send(get("/big?" + std::to_string(size), "Connection: close\r\n"));
    client.shutdown_write();
    const auto text = response(client, size);
    CAF_CHECK_EQUAL(std::count(text.begin(), text.end(), '#'), static_cast<long>(size));
    CAF_CHECK_EQUAL(client.wait_for_end(), 0);
  }

  CAF_TEST(an actor answers a request) {
    auto client = connect();
    client.send(get("/actor?now") + get("/now"));
    CAF_CHECK(response(client, 5).ends_with("asked"));
    CAF_CHECK_EQUAL(response(client, 5), ok_now);
  }

  CAF_TEST(an exception of a handler closes its connection alone and is counted) {
    auto client = connect();
    auto other = connect();
    client.send(get("/now") + get("/throw"));
    client.wait_for_end();
    wait_for_end(spawned.front());
    other.send(get("/now"));
    CAF_CHECK_EQUAL(response(other, 5), ok_now); // and nothing before it
    CAF_CHECK_EQUAL(closed("crashed"), 1u);
    CAF_CHECK_EQUAL(count("caf_http_connection_crashes_total"), 1u);
  }

  CAF_TEST(an exception of a handler behind the answer of an actor does the same) {
    auto client = connect();
    auto other = connect();
    client.send(get("/actor?now") + get("/throw"));
    client.wait_for_end();
    wait_for_end(spawned.front());
    other.send(get("/now"));
    CAF_CHECK_EQUAL(response(other, 5), ok_now);
    CAF_CHECK_EQUAL(count("caf_http_connection_crashes_total"), 1u);
  }

  CAF_TEST(killing a connection in the middle of a request cancels it) {
    auto client = connect();
    client.send(get("/actor?slow"));
    told->wait([](const asked& x) { return x.requests == 1; });
    caf::anon_send_exit(spawned.front(), caf::exit_reason::kill);
    client.wait_for_end();
    told->wait([](const asked& x) { return x.cancelled == 1; });
    wait_for_ends();
    CAF_CHECK_EQUAL(count("caf_http_connection_crashes_total"), 1u);
    CAF_CHECK_EQUAL(count("caf_http_requests_in_flight{state=\"actor\"}"), 0u);
    CAF_CHECK_EQUAL(context->connections.load(), 0u);
  }

  CAF_TEST(a reset while an actor is asked cancels the ask) {
    auto client = connect(tcp_pair());
    client.send(get("/actor?slow"));
    told->wait([](const asked& x) { return x.requests == 1; });
    client.reset();
    told->wait([](const asked& x) { return x.cancelled == 1; });
    wait_for_ends();
    CAF_CHECK_EQUAL(closed("failed"), 1u);
  }

  CAF_TEST(an actor that is gone is unavailable and the connection goes on) {
    auto client = connect();
    caf::anon_send_exit(target, caf::exit_reason::kill);
    wait_for_end(target);
    client.send(get("/actor?now"));
    CAF_CHECK(response(client, 24).starts_with("HTTP/1.1 503 "));
    client.send(get("/now"));
    CAF_CHECK_EQUAL(response(client, 5), ok_now);
  }

  CAF_TEST(a drained connection ends after its response) {
    auto client = connect();
    client.send(get("/now"));
    CAF_CHECK_EQUAL(response(client, 5), ok_now);
    on_loop(loop, [&] {
      listener->draining = true;
      for (auto* which : listener->clients)
        which->drain(nudge_cause::drain);
    });
    client.send(get("/now"));
    CAF_CHECK(response(client, 5).find("Connection: close") != std::string::npos);
    CAF_CHECK_EQUAL(client.wait_for_end(), 0);
  }

  CAF_TEST(connections are counted by address if that is limited) {
    auto limited = std::make_shared<http_config>(*make_config());
    limited->limits.max_per_ip = 2;
    on_loop(loop, [&] {
      context->table = *site_table::make(
          limited, *books,
          [this](const route_entry& entry) -> caf::expected<std::unique_ptr<route_handler>> {
            return std::make_unique<scripted_handler>(entry.config.path, handlers);
          });
    });
    auto client = connect();
    const auto addresses = [&] {
      return on_loop(loop, [&] { return context->per_address.size(); });
    };
    CAF_CHECK_EQUAL(addresses(), 1u);
    client.close();
    wait_for_ends();
    CAF_CHECK_EQUAL(addresses(), 0u);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

// Both ends of the cluster benchmark: `serve` and `run`, each over our links or over CAF's BASP.
// The asking actor and the echo are the same on both; what differs is the wire. Goal and non-goal:
// bench/README.md. Driven by cluster.py, one process per end.
//
//   cluster_load serve links|basp PORT PEER_PORT
//   cluster_load run   links|basp PORT PEER_PORT IN_FLIGHT SECONDS SIZE ask|send
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <caf/io/all.hpp>

#include "caf_app/registry/loop_app_actor.hpp"
#include "support/linked_node.hpp"

using namespace caf_app;

namespace {

using clock_type = std::chrono::steady_clock;
using place = bench::linked_node::place;

struct config : caf::actor_system_config, hook_carrier {
  explicit config(bool basp) {
    caf_app::add_messages(*this);
    load_scheduler(*this, 1);
    if (basp)
      load<caf::io::middleman>();
    else
      load<node_identity>();
  }
};

/// Answers texts with their length, counts what is only sent.
caf::behavior echo(app_actor*) {
  return {[](const std::string& text) -> uint64_t { return text.size(); },
          [](caf::put_atom, const std::string&) {}};
}

struct outcome {
  uint64_t answers = 0;
  uint64_t errors = 0;
  std::vector<uint32_t> nanoseconds;
  clock_type::duration time{};
};

struct driver_state {
  driver_state() = default;
  caf::actor target;
  clock_type::time_point end;
  size_t open = 0;
  std::string text;
  outcome result;
  std::function<void(outcome)> done;
};

using driver = caf::stateful_actor<driver_state, app_actor>;

void ask_one(driver* self) {
  auto& state = self->state;
  const auto began = clock_type::now();
  if (began >= state.end) {
    if (state.open == 0)
      state.done(std::move(state.result));
    return;
  }
  ++state.open;
  self->ask(state.target, std::chrono::seconds{10}, state.text)
      .then(
          [self, began](uint64_t) {
            --self->state.open;
            ++self->state.result.answers;
            const auto took = std::chrono::nanoseconds{clock_type::now() - began}.count();
            self->state.result.nanoseconds.push_back(static_cast<uint32_t>(took));
            ask_one(self);
          },
          [self](caf::error&) {
            --self->state.open;
            ++self->state.result.errors;
            ask_one(self);
          });
}

/// Sends in bursts of 64, each behind an answered ask: messages per second, not how far one can run
/// ahead of the other.
void send_some(driver* self) {
  auto& state = self->state;
  if (clock_type::now() >= state.end)
    return state.done(std::move(state.result));
  for (int i = 0; i < 63; ++i)
    self->send(state.target, caf::put_atom_v, state.text);
  self->ask(state.target, std::chrono::seconds{10}, state.text)
      .then(
          [self](uint64_t) {
            self->state.result.answers += 64;
            send_some(self);
          },
          [self](caf::error&) {
            ++self->state.result.errors;
            send_some(self);
          });
}

outcome drive(caf::actor_system& system, const caf::actor& target, size_t in_flight, double seconds,
              size_t size, bool only_send) {
  std::promise<outcome> result;
  const auto began = clock_type::now();
  system.spawn([&](driver* self) -> caf::behavior {
    auto& state = self->state;
    state.target = target;
    state.end = began + std::chrono::duration_cast<clock_type::duration>(
                            std::chrono::duration<double>{seconds});
    state.text.assign(size, 'x');
    state.result.nanoseconds.reserve(1u << 20);
    state.done = [self, &result](outcome x) {
      result.set_value(std::move(x));
      self->quit();
    };
    if (only_send)
      send_some(self);
    else
      for (size_t i = 0; i < in_flight; ++i)
        ask_one(self);
    return {[](caf::tick_atom) {}};
  });
  auto x = result.get_future().get();
  x.time = clock_type::now() - began;
  return x;
}

void print(outcome& x) {
  std::sort(x.nanoseconds.begin(), x.nanoseconds.end());
  const auto at = [&](double part) {
    return x.nanoseconds.empty()
               ? 0.0
               : x.nanoseconds[static_cast<size_t>(part * double(x.nanoseconds.size() - 1))] / 1e3;
  };
  const auto seconds = std::chrono::duration<double>(x.time).count();
  std::cout << "{\"answers\": " << x.answers << ", \"errors\": " << x.errors
            << ", \"per_second\": " << static_cast<double>(x.answers) / seconds
            << ", \"p50_us\": " << at(0.5) << ", \"p99_us\": " << at(0.99) << '}' << std::endl;
}

void wait_for_input_end() {
  std::string line;
  while (std::getline(std::cin, line)) {
  }
}

int serve(bool basp, uint16_t port, uint16_t peer_port) {
  config cfg{basp};
  caf::actor_system system{cfg};
  event_loop loop{system, {}};
  auto server = system.spawn(echo);
  std::optional<bench::linked_node> node;
  if (basp) {
    if (!system.middleman().publish(server, port, "127.0.0.1"))
      return 1;
  } else {
    node.emplace(system, loop, place{"z-server", port}, std::vector{place{"a-client", peer_port}});
    node->names()->claim_name("echo", server, claim_mode::standby, [](const caf::error&) {});
  }
  std::cout << "ready" << std::endl;
  wait_for_input_end();
  std::_Exit(0); // nothing to save
}

int run(char** args) {
  const auto basp = std::string{args[0]} == "basp";
  const auto port = static_cast<uint16_t>(std::atoi(args[1]));
  const auto peer_port = static_cast<uint16_t>(std::atoi(args[2]));
  config cfg{basp};
  caf::actor_system system{cfg};
  event_loop loop{system, {}};
  std::optional<bench::linked_node> node;
  caf::actor target;
  if (basp) {
    auto found = system.middleman().remote_actor("127.0.0.1", port);
    if (!found)
      return 1;
    target = *found;
  } else {
    node.emplace(system, loop, place{"a-client", peer_port}, std::vector{place{"z-server", port}});
    for (int i = 0; i < 1000 && !(target = node->names()->where_is("echo")); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    if (!target)
      return 1;
  }
  const auto size = static_cast<size_t>(std::atol(args[5]));
  const auto only_send = std::string{args[6]} == "send";
  const auto in_flight = static_cast<size_t>(std::atol(args[3]));
  drive(system, target, in_flight, 0.2, size, only_send); // warms up
  auto result = drive(system, target, in_flight, std::atof(args[4]), size, only_send);
  print(result);
  std::cout.flush();
  std::_Exit(result.errors == 0 ? 0 : 1);
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 5 && std::string{argv[1]} == "serve")
    return serve(std::string{argv[2]} == "basp", static_cast<uint16_t>(std::atoi(argv[3])),
                 static_cast<uint16_t>(std::atoi(argv[4])));
  if (argc == 9 && std::string{argv[1]} == "run")
    return run(argv + 2);
  std::cerr << "usage: see the top of cluster_load.cpp" << std::endl;
  return 2;
}

// One node of a cluster on loopback that does what it reads, a line at a time, and answers each
// line with one of JSON. Times are seconds of the clock that all processes of the machine share, so
// that the driver, cluster.py, can compare those of several nodes. Goal and non-goal:
// bench/README.md.
//
//   cluster_probe NAME PORT PEER PORT ...
//
//   members N         so many more members of the group "bench"
//   publish N ROUNDS  publishes and waits for N members, again and again
//   hold NAME         a new actor gets a name of the cluster
//   see NAME          waits until a name is found here
//   watch NAME        tells when its holder is watched, and on a second line when it ended
#include <algorithm>
#include <cstdlib>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "caf_app/registry/loop_app_actor.hpp"
#include "support/linked_node.hpp"

using namespace caf_app;

namespace {

using clock_type = std::chrono::steady_clock;

double seconds() {
  return std::chrono::duration<double>(clock_type::now().time_since_epoch()).count();
}

caf::behavior idle(app_actor*) {
  return {[](caf::tick_atom) {}};
}

/// Tells the publisher that it has heard.
caf::behavior member(app_actor* self) {
  return {[self](const caf::actor& publisher, uint64_t round) {
    self->send(publisher, caf::ok_atom_v, round);
  }};
}

struct publisher_state {
  publisher_state() = default;
  std::shared_ptr<registry> names;
  uint64_t members = 0;
  uint64_t rounds = 0;
  uint64_t heard = 0;
  clock_type::time_point began;
  std::vector<double> microseconds;
  std::function<void(std::vector<double>)> done;
};

using publisher = caf::stateful_actor<publisher_state, app_actor>;

void publish_once(publisher* self) {
  auto& state = self->state;
  state.heard = 0;
  state.began = clock_type::now();
  state.names->publish("bench",
                       caf::make_message(caf::actor{self}, uint64_t{state.microseconds.size()}),
                       self->context());
}

caf::behavior publishing(publisher* self) {
  return {[self](caf::tick_atom) { publish_once(self); },
          [self](caf::ok_atom, uint64_t round) {
            auto& state = self->state;
            if (round != state.microseconds.size() || ++state.heard < state.members)
              return;
            const std::chrono::duration<double, std::micro> took = clock_type::now() - state.began;
            state.microseconds.push_back(took.count());
            if (state.microseconds.size() < state.rounds)
              return publish_once(self);
            state.done(std::move(state.microseconds));
            self->quit();
          }};
}

class probe {
public:
  probe(caf::actor_system& system, std::shared_ptr<registry> names)
      : system_(system), names_(std::move(names)) {}

  void run(const std::string& line) {
    std::istringstream words{line};
    std::string what;
    words >> what;
    if (what == "members")
      members(words);
    else if (what == "publish")
      publish(words);
    else if (what == "hold")
      hold(words);
    else if (what == "see")
      see(words);
    else if (what == "watch")
      watch(words);
    else
      std::cout << R"({"error": "unknown command"})" << std::endl;
  }

private:
  void members(std::istream& words) {
    size_t count = 0;
    words >> count;
    for (; count > 0; --count) {
      actors_.push_back(system_.spawn(member));
      names_->join("bench", actors_.back());
    }
    std::cout << R"({"members": )" << names_->members("bench").size() << '}' << std::endl;
  }

  void publish(std::istream& words) {
    uint64_t count = 0, rounds = 0;
    words >> count >> rounds;
    std::promise<std::vector<double>> result;
    const auto began = clock_type::now();
    const auto actor = system_.spawn([&](publisher* self) {
      self->state.names = names_;
      self->state.members = count;
      self->state.rounds = rounds;
      self->state.done = [&](std::vector<double> x) { result.set_value(std::move(x)); };
      return publishing(self);
    });
    caf::anon_send(actor, caf::tick_atom_v);
    auto times = result.get_future().get();
    const std::chrono::duration<double> all = clock_type::now() - began;
    std::sort(times.begin(), times.end());
    const auto at = [&](double part) {
      return times[static_cast<size_t>(part * static_cast<double>(times.size() - 1))];
    };
    std::cout << R"({"p50_us": )" << at(0.5) << R"(, "p99_us": )" << at(0.99)
              << R"(, "per_second": )" << static_cast<double>(rounds) / all.count() << '}'
              << std::endl;
  }

  void hold(std::istream& words) {
    std::string name;
    words >> name;
    std::promise<caf::error> result;
    actors_.push_back(system_.spawn(idle));
    const auto asked = seconds();
    names_->claim_name(name, actors_.back(), claim_mode::once,
                       [&](const caf::error& why) { result.set_value(why); });
    const auto why = result.get_future().get();
    std::cout.precision(9);
    std::cout << std::fixed << R"({"asked_s": )" << asked << R"(, "granted_s": )" << seconds()
              << R"(, "error": ")" << (why ? describe(why) : "") << R"("})" << std::endl;
  }

  void see(std::istream& words) {
    std::string name;
    words >> name;
    while (!names_->where_is(name))
      std::this_thread::sleep_for(std::chrono::microseconds{100});
    std::cout.precision(9);
    std::cout << std::fixed << R"({"seen_s": )" << seconds() << '}' << std::endl;
  }

  void watch(std::istream& words) {
    std::string name;
    words >> name;
    const auto target = names_->where_is(name);
    std::promise<double> ended;
    // The handle is kept: nobody else holds the actor.
    actors_.push_back(system_.spawn([&](app_actor* self) -> caf::behavior {
      self->watch(target, [self, &ended](const down&) {
        ended.set_value(seconds());
        self->quit();
      });
      return {[](caf::tick_atom) {}};
    }));
    std::cout << R"({"watching": true})" << std::endl;
    std::cout.precision(9);
    std::cout << std::fixed << R"({"down_s": )" << ended.get_future().get() << '}' << std::endl;
  }

  caf::actor_system& system_;
  std::shared_ptr<registry> names_;
  std::vector<caf::actor> actors_;
};

} // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc % 2 == 0) {
    std::cerr << "usage: see the top of cluster_probe.cpp" << std::endl;
    return 2;
  }
  std::vector<bench::linked_node::place> places;
  for (int i = 1; i < argc; i += 2)
    places.emplace_back(argv[i], static_cast<uint16_t>(std::atoi(argv[i + 1])));
  bench::linked_config config;
  caf::actor_system system{config};
  event_loop loop{system, {}};
  const bench::linked_node node{system, loop, places.front(), {places.begin() + 1, places.end()}};
  probe it{system, node.names()};
  std::cout << "ready" << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    it.run(line);
  std::_Exit(0); // nothing to save
}

// Runs many simulated clusters, each through faults, healing and agreement.
//
//   caf_app_sim_cluster --seeds N [--from M]   N worlds, seeds M, M + 1, ...
//   caf_app_sim_cluster --seed N               the world of one seed, with all that happens in it
//   --without-quorum 1                         nodes that ignore the quorum: the checks must see it
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

#include "sim_world.hpp"

namespace {

using std::chrono::seconds;

bool run(const sim::world_options& opts, std::map<std::string, uint64_t>& probes) {
  sim::world world{opts};
  world.start_work();
  bool good = world.run_for(seconds{5});
  world.start_faults();
  good = good && world.run_for(seconds{40});
  world.heal();
  good = good && world.run_for(seconds{25}) && world.converged();
  for (const auto& [name, count] : world.probes())
    probes[name] += count;
  if (opts.trace || !good)
    std::cout << "seed " << opts.seed << ": " << (good ? "good" : world.failure()) << " ("
              << world.summary() << ')' << std::endl;
  return good;
}

} // namespace

int main(int argc, char** argv) {
  uint64_t from = 1;
  uint64_t count = 300;
  sim::world_options opts;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    const auto value = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--seed") {
      from = value;
      count = 1;
      opts.trace = true;
    } else if (option == "--seeds") {
      count = value;
    } else if (option == "--from") {
      from = value;
    } else if (option == "--without-quorum") {
      opts.without_quorum = value != 0;
    } else {
      std::cerr << "unknown option " << option << '\n';
      return 2;
    }
  }
  std::map<std::string, uint64_t> probes;
  uint64_t bad = 0;
  for (opts.seed = from; opts.seed < from + count; ++opts.seed)
    bad += run(opts, probes) ? 0 : 1;
  for (const auto& [name, times] : probes)
    std::cout << name << ": " << times << '\n';
  std::cout << count - bad << " of " << count << " worlds are good\n";
  return bad == 0 ? 0 : 1;
}

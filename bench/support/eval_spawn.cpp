// The "before" row of `bench/run eval`: a driver is started for each call, as a server without warm
// workers would. Load, handshake, one worker, one call, end.
//
//   eval_spawn DRIVER BUILD CALLS     one JSON line on standard output
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "actors/eval/process/driver_process.hpp"

using namespace caf_app::eval;

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  constexpr int patience_ms = 10'000;
  const auto tools = default_toolchain({});
  const auto calls = std::strtoul(argv[3], nullptr, 10);
  std::vector<double> times;
  const auto begin = std::chrono::steady_clock::now();
  for (size_t i = 0; i < calls; ++i) {
    const auto began = std::chrono::steady_clock::now();
    auto driver = driver_process::start(tools, argv[1], -1, patience_ms);
    if (!std::holds_alternative<std::unique_ptr<driver_process>>(driver))
      return 1;
    auto worker = std::get<0>(driver)->fork_worker(patience_ms);
    if (!std::holds_alternative<std::unique_ptr<worker_process>>(worker))
      return 1;
    const auto header = std::string{R"({"kind":"graph","name":"sum","build":")"} + argv[2] +
                        R"(","clock":1,"identity":null,"effects":[],"replyMax":1000000})";
    const auto body = R"({"inputs":{"a":)" + std::to_string(i) + R"(,"b":1}})";
    const auto reply = std::get<0>(worker)->call(header, body, patience_ms);
    if (reply.status != 200 ||
        reply.body.find("\"output\":" + std::to_string(i + 1) + "}]") == std::string::npos)
      return 1;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    times.push_back(took.count());
  }
  const std::chrono::duration<double> all = std::chrono::steady_clock::now() - begin;
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[std::min(static_cast<size_t>(share * static_cast<double>(times.size())),
                          times.size() - 1)] *
           1e6;
  };
  std::printf("{\"calls\":%zu,\"seconds\":%.6f,\"p50_us\":%.1f,\"p95_us\":%.1f,\"p99_us\":%.1f}\n",
              times.size(), all.count(), at(0.5), at(0.95), at(0.99));
  return 0;
}

// The section [eval] of a cluster file: defaults, bounds, rule. What the files that it names hold
// is read when the evaluator starts (access.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "caf_app/base/config_rule.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app::eval {

/// Bounds of what an operator may set, and limits that are fixed.
namespace limit {
using std::chrono::milliseconds;
inline constexpr size_t workers_max = 64;
inline constexpr size_t build_slots_max = 16;
inline constexpr size_t queue_max = 1'000'000;
inline constexpr milliseconds duration_min{10};
inline constexpr milliseconds duration_max{24 * 3'600'000};
inline constexpr uint64_t memory_min = 64 * limits::mib;
inline constexpr uint64_t memory_max = 64 * 1024 * limits::mib;
inline constexpr size_t processes_max = 1; ///< adr/0023: nothing counts them per worker
inline constexpr uint64_t store_min = 16 * limits::mib;
inline constexpr uint64_t store_max = 16 * 1024 * 1024 * limits::mib;
inline constexpr size_t token_bytes_min = 16;
inline constexpr uint64_t body_bytes_max = 64 * limits::mib; ///< requests and replies alike
inline constexpr size_t worker_output_bytes = limits::mib;   ///< of what a build's workers print
inline constexpr uint64_t file_effect_bytes_max = 16 * limits::mib;
inline constexpr milliseconds http_effect_timeout{30'000};
} // namespace limit

enum class confinement_wanted : uint8_t { best, required, off };

struct eval_config {
  size_t workers = 4;
  size_t build_slots = 1;
  std::chrono::milliseconds build_timeout{600'000};
  std::chrono::milliseconds fetch_timeout{120'000};
  std::chrono::milliseconds call_timeout{60'000};
  std::chrono::milliseconds handshake_timeout{5'000};
  std::chrono::milliseconds idle_timeout{300'000};
  size_t queue_max = 1024;
  double tenant_share = 0.5;           ///< of queue and workers, when others wait
  uint64_t memory = 512 * limits::mib; ///< of a worker
  size_t processes = 1;                ///< of a worker
  uint64_t store_max = 4 * 1024 * limits::mib;
  bool allow_local = false;
  confinement_wanted confinement = confinement_wanted::best;
  std::filesystem::path state_key_file; ///< empty: states are not signed
  std::string token;                    ///< one trusted token; empty: none
  std::filesystem::path tokens_file;    ///< tokens of organisations; empty: none
  std::filesystem::path salt_file;      ///< empty: a salt of this node's own
};

/// The rule for the section: `file.read("eval", eval_config_rule(), config)`.
config_rule<eval_config> eval_config_rule();

} // namespace caf_app::eval

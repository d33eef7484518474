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
/// Of every time-out in this section.
inline constexpr milliseconds duration_min{10};
inline constexpr milliseconds duration_max{24 * 3'600'000};
/// Of a worker's address space, in bytes.
inline constexpr uint64_t memory_min = 64 * limits::mib;
inline constexpr uint64_t memory_max = 64 * 1024 * limits::mib;
inline constexpr size_t processes_max = 1; ///< adr/0023: nothing counts them per worker
/// Of the builds on disk, in bytes.
inline constexpr uint64_t store_min = 16 * limits::mib;
inline constexpr uint64_t store_max = 16 * 1024 * 1024 * limits::mib;
inline constexpr size_t token_bytes_min = 16;
inline constexpr uint64_t body_bytes_max = 64 * limits::mib; ///< requests and replies alike
inline constexpr size_t worker_output_bytes = limits::mib;   ///< of what a build's workers print
/// Of a build's log: what tools print, and its driver while the build tries it.
inline constexpr uint64_t build_log_bytes = 16 * limits::mib;
inline constexpr uint64_t file_effect_bytes_max = 16 * limits::mib; ///< of a file or HTTP content
inline constexpr milliseconds http_effect_timeout{30'000};          ///< of a whole exchange
} // namespace limit

/// Layers of confinement that a host lacks: `best` warns, `required` does not start, `off` uses
/// none (adr/0006).
enum class confinement_wanted : uint8_t { best, required, off };

/// The keys of [eval], as they are called there.
struct eval_config {
  size_t workers = 4;                                 ///< processes that calls run in
  size_t build_slots = 1;                             ///< builds that compile at a time
  std::chrono::milliseconds build_timeout{600'000};   ///< of a whole build, fetching left out
  std::chrono::milliseconds fetch_timeout{120'000};   ///< of bringing a commit here
  std::chrono::milliseconds call_timeout{60'000};     ///< waiting included; then 504
  std::chrono::milliseconds handshake_timeout{5'000}; ///< of a driver or worker that starts
  std::chrono::milliseconds idle_timeout{300'000};    ///< then an idle worker ends
  size_t queue_max = 1024;                            ///< calls that wait; more get 503
  double tenant_share = 0.5;                          ///< of queue and workers, when others wait
  uint64_t memory = 512 * limits::mib;                ///< bytes of address space of a worker
  size_t processes = 1;                               ///< of a worker
  uint64_t store_max = 4 * 1024 * limits::mib; ///< bytes of builds on disk; the least used go first
  bool allow_local = false;                    ///< sources may be folders of this host
  confinement_wanted confinement = confinement_wanted::best;
  std::filesystem::path state_key_file; ///< empty: states are not signed
  std::string token;                    ///< one trusted token; empty: none
  std::filesystem::path tokens_file;    ///< tokens of organisations; empty: none
  std::filesystem::path salt_file;      ///< empty: a salt of this node's own
};

/// The rule for the section: `file.read("eval", eval_config_rule(), config)`.
config_rule<eval_config> eval_config_rule();

} // namespace caf_app::eval

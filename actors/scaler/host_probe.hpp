// What /proc and the cgroup tell about the machine, without root: text in, numbers out. Only read()
// functions open files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// Sums since boot, in ticks of the kernel, over all cores.
struct cpu_ticks {
  uint64_t idle = 0;  ///< idle and waiting for disks
  uint64_t total = 0; ///< steal included
};

/// These take the text of a file of proc(5) or of a cgroup (v2) and give nothing if what they look
/// for is not in it.
std::optional<cpu_ticks> parse_proc_stat(std::string_view text);
std::optional<uint64_t> parse_mem_available(std::string_view meminfo); ///< bytes
std::optional<uint64_t> parse_throttled_us(std::string_view cpu_stat); ///< so far
std::optional<double> parse_cpu_max(std::string_view cpu_max); ///< cores; nothing without a quota
std::optional<uint64_t> parse_run_ns(std::string_view schedstat);       ///< on a core, so far
std::optional<uint64_t> parse_run_delay_ns(std::string_view schedstat); ///< waiting for one, so far
std::optional<uint64_t> parse_rss_bytes(std::string_view statm, uint64_t page_bytes);

/// @returns the content of a file, nothing if it cannot be read
std::optional<std::string> read_text(const std::string& path);

/// Where the kernel tells of cgroups (v2); tests have folders of their own.
struct cgroup_files {
  std::string root = "/sys/fs/cgroup";   ///< where the hierarchy is mounted
  std::string own = "/proc/self/cgroup"; ///< says which of it is ours, see cgroups(7)
};

/// The folders of the cgroup that a process is in and of all above it, whose limits hold too: the
/// innermost first, the root last. In a container the root is its own.
/// @param proc_cgroup content of /proc/PID/cgroup
/// @param root is all there is if the process is elsewhere, or in no cgroup of v2
std::vector<std::string> cgroup_folders(std::string_view proc_cgroup, const std::string& root);

/// Cores that this process may use: its affinity and the quotas of its cgroup and all above,
/// whichever is less.
double usable_cores(const cgroup_files& files = {});

/// Remembers what it read before, since the kernel tells sums.
class host_probe {
public:
  explicit host_probe(cgroup_files files = {}) : files_(std::move(files)) {}

  /// Reads files of /proc and /sys, which does not wait for a disk. Shares are those since the call
  /// before; the first has none.
  host_sample sample(steady::time_point now);

private:
  std::optional<double> throttled(steady::time_point now);

  cgroup_files files_;
  std::optional<cpu_ticks> ticks_;
  std::map<std::string, uint64_t> throttled_us_; // by folder of a cgroup, so far
  std::optional<steady::time_point> at_;
};

} // namespace caf_app::scaler

// What /proc and the cgroup tell about the machine, without root: text in, numbers out. Only read()
// functions open files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// Sums since boot, in ticks of the kernel, over all cores.
struct cpu_ticks {
  uint64_t idle = 0;  ///< idle and waiting for disks
  uint64_t total = 0; ///< steal included
};

std::optional<cpu_ticks> parse_proc_stat(std::string_view text);
std::optional<uint64_t> parse_mem_available(std::string_view meminfo); ///< bytes
std::optional<uint64_t> parse_throttled_us(std::string_view cpu_stat);
std::optional<double> parse_cpu_max(std::string_view cpu_max); ///< cores; nothing without a quota
std::optional<uint64_t> parse_run_ns(std::string_view schedstat);
std::optional<uint64_t> parse_run_delay_ns(std::string_view schedstat);
std::optional<uint64_t> parse_rss_bytes(std::string_view statm, uint64_t page_bytes);

/// @returns the content of a file, nothing if it cannot be read
std::optional<std::string> read_text(const std::string& path);

/// Cores that this process may use: its affinity and the quota of its cgroup, whichever is less.
double usable_cores();

/// Remembers what it read before, since the kernel tells sums.
class host_probe {
public:
  host_sample sample(steady::time_point now);

private:
  std::optional<cpu_ticks> ticks_;
  std::optional<uint64_t> throttled_us_;
  std::optional<steady::time_point> at_;
};

} // namespace caf_app::scaler

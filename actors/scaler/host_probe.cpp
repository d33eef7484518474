#include "actors/scaler/host_probe.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace caf_app::scaler {

namespace {

std::string_view word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  const auto result = text.substr(0, std::min(text.find_first_of(" \t\n"), text.size()));
  text.remove_prefix(result.size());
  return result;
}

std::optional<uint64_t> number(std::string_view text) {
  uint64_t result = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (error != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return result;
}

/// The word after `key` at the start of a line.
std::optional<uint64_t> value_of(std::string_view text, std::string_view key) {
  for (size_t at = 0; at < text.size();) {
    auto line = text.substr(at, text.find('\n', at) - at);
    at += line.size() + 1;
    if (word(line) == key)
      return number(word(line));
  }
  return std::nullopt;
}

/// Read anew each time: a process may be moved.
std::vector<std::string> own_cgroups(const cgroup_files& files) {
  return cgroup_folders(read_text(files.own).value_or(""), files.root);
}

} // namespace

std::optional<cpu_ticks> parse_proc_stat(std::string_view text) {
  if (word(text) != "cpu")
    return std::nullopt;
  cpu_ticks result;
  for (int i = 0; i < 8; ++i) { // user nice system idle iowait irq softirq steal
    const auto ticks = number(word(text));
    if (!ticks)
      return std::nullopt;
    result.total += *ticks;
    result.idle += i == 3 || i == 4 ? *ticks : 0;
  }
  return result;
}

std::optional<uint64_t> parse_mem_available(std::string_view meminfo) {
  const auto kib = value_of(meminfo, "MemAvailable:");
  return kib ? std::optional{*kib * 1024} : std::nullopt;
}

std::optional<uint64_t> parse_throttled_us(std::string_view cpu_stat) {
  return value_of(cpu_stat, "throttled_usec");
}

std::optional<double> parse_cpu_max(std::string_view cpu_max) {
  const auto quota = number(word(cpu_max));
  const auto period = number(word(cpu_max));
  if (!quota || !period || *period == 0)
    return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<uint64_t> parse_run_ns(std::string_view schedstat) { return number(word(schedstat)); }

std::optional<uint64_t> parse_run_delay_ns(std::string_view schedstat) {
  word(schedstat);
  return number(word(schedstat));
}

std::optional<uint64_t> parse_rss_bytes(std::string_view statm, uint64_t page_bytes) {
  word(statm);
  const auto pages = number(word(statm));
  return pages ? std::optional{*pages * page_bytes} : std::nullopt;
}

std::optional<std::string> read_text(const std::string& path) {
  std::ifstream in{path};
  if (!in)
    return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> cgroup_folders(std::string_view proc_cgroup, const std::string& root) {
  constexpr std::string_view v2 = "0::"; // the other lines are of v1
  std::string_view path;
  for (size_t at = 0; at < proc_cgroup.size();) {
    const auto line = proc_cgroup.substr(at, proc_cgroup.find('\n', at) - at);
    at += line.size() + 1;
    if (line.starts_with(v2))
      path = line.substr(v2.size());
  }
  std::vector<std::string> result;
  // Outside of what we see of the hierarchy it begins with "/..".
  if (path.starts_with('/') && !path.starts_with("/.."))
    for (; path.size() > 1; path = path.substr(0, path.rfind('/')))
      result.push_back(root + std::string{path});
  result.push_back(root);
  return result;
}

double usable_cores(const cgroup_files& files) {
  cpu_set_t set;
  CPU_ZERO(&set);
  auto result = 1.0;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    result = std::max(CPU_COUNT(&set), 1);
  for (const auto& folder : own_cgroups(files))
    if (const auto text = read_text(folder + "/cpu.max"))
      if (const auto quota = parse_cpu_max(*text))
        result = std::min(result, *quota);
  return result;
}

/// The share of the time since the last call that one of our cgroups was held back. A quota holds
/// back everything below it, hence the largest counts.
std::optional<double> host_probe::throttled(steady::time_point now) {
  std::optional<double> result;
  std::map<std::string, uint64_t> sums;
  for (const auto& folder : own_cgroups(files_)) {
    const auto text = read_text(folder + "/cpu.stat");
    const auto sum = text ? parse_throttled_us(*text) : std::nullopt;
    if (!sum)
      continue;
    sums.emplace(folder, *sum);
    const auto before = throttled_us_.find(folder);
    if (before == throttled_us_.end() || *sum < before->second || !at_ || now <= *at_)
      continue;
    const auto share = static_cast<double>(*sum - before->second) /
                       std::chrono::duration<double, std::micro>(now - *at_).count();
    result = std::max(result.value_or(0), share);
  }
  throttled_us_ = std::move(sums);
  return result;
}

host_sample host_probe::sample(steady::time_point now) {
  host_sample result;
  result.at = now;
  result.cores = usable_cores(files_);
  const auto parsed = [](const char* path, auto parse) -> decltype(parse(std::string_view{})) {
    const auto text = read_text(path);
    return text ? parse(*text) : std::nullopt;
  };
  const auto ticks = parsed("/proc/stat", parse_proc_stat);
  result.memory_available = parsed("/proc/meminfo", parse_mem_available);
  if (ticks && ticks_ && ticks->total > ticks_->total && ticks->idle >= ticks_->idle)
    result.idle_cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN)) *
                        static_cast<double>(ticks->idle - ticks_->idle) /
                        static_cast<double>(ticks->total - ticks_->total);
  result.throttled = throttled(now);
  ticks_ = ticks;
  at_ = now;
  return result;
}

} // namespace caf_app::scaler

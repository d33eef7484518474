#define CAF_SUITE host_probe
#include "actors/scaler/host_probe.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

namespace {

/// A hierarchy of cgroups in which a process is in /a.slice/b.service.
struct cgroup_tree {
  cgroup_tree() {
    std::filesystem::create_directories(folder / "root/a.slice/b.service");
    write("own", "9:name=systemd:/elsewhere\n0::/a.slice/b.service\n");
  }

  void write(const std::string& file, const std::string& text) {
    std::ofstream{folder / file} << text;
  }

  scratch_folder folder;
  cgroup_files files{folder / "root", folder / "own"};
};

} // namespace

CAF_TEST(the first line of proc stat is summed up) {
  const auto ticks = parse_proc_stat("cpu  10 2 30 400 50 6 7 8 99 99\ncpu0 1 1 1 1 1 1 1 1\n");
  CAF_REQUIRE(ticks);
  CAF_CHECK_EQUAL(ticks->idle, 450u);
  CAF_CHECK_EQUAL(ticks->total, 513u);
  for (const auto* bad : {"", "cpu0 1 2 3", "cpu 1 2 3", "cpu a b c d e f g h"})
    CAF_CHECK(!parse_proc_stat(bad));
}

CAF_TEST(available memory is in bytes) {
  const auto bytes = parse_mem_available("MemTotal: 9 kB\nMemAvailable:    1024 kB\n");
  CAF_REQUIRE(bytes);
  CAF_CHECK_EQUAL(*bytes, 1024u * 1024u);
  CAF_CHECK(!parse_mem_available("MemTotal: 9 kB\n"));
}

CAF_TEST(a quota is cores and max is none) {
  const auto cores = parse_cpu_max("150000 100000\n");
  CAF_REQUIRE(cores);
  CAF_CHECK_EQUAL(*cores, 1.5);
  CAF_CHECK(!parse_cpu_max("max 100000\n"));
  CAF_CHECK(!parse_cpu_max("1 0\n"));
  CAF_CHECK(!parse_cpu_max(""));
}

CAF_TEST(single numbers are found) {
  CAF_CHECK(parse_throttled_us("usage_usec 5\nthrottled_usec 77\n") == std::optional<uint64_t>{77});
  CAF_CHECK(!parse_throttled_us("usage_usec 5\n"));
  CAF_CHECK(parse_run_delay_ns("100 200 3\n") == std::optional<uint64_t>{200});
  CAF_CHECK(!parse_run_delay_ns("100\n"));
  CAF_CHECK(parse_rss_bytes("900 12 3 4\n", 4096) == std::optional<uint64_t>{12 * 4096});
}

CAF_TEST(the limits of a cgroup are those of its folder and of all above) {
  using list = std::vector<std::string>;
  const std::pair<const char*, list> cases[] = {{"0::/\n", {"/c"}},
                                                {"0::/a/b\n", {"/c/a/b", "/c/a", "/c"}},
                                                {"3:cpu:/x\n0::/a", {"/c/a", "/c"}},
                                                {"0::/../other\n", {"/c"}},
                                                {"3:cpu:/x\n", {"/c"}},
                                                {"0::\n", {"/c"}},
                                                {"", {"/c"}}};
  for (const auto& [text, folders] : cases)
    CAF_CHECK_EQUAL(cgroup_folders(text, "/c"), folders);
}

CAF_TEST(the smallest quota on the way to the root counts) {
  cgroup_tree tree;
  const auto all = usable_cores(tree.files);
  CAF_CHECK_GREATER_OR_EQUAL(all, 1.0);
  tree.write("root/a.slice/b.service/cpu.max", "50000 100000\n"); // CPUQuota= of the unit
  CAF_CHECK_EQUAL(usable_cores(tree.files), 0.5);
  tree.write("root/a.slice/cpu.max", "25000 100000\n");
  CAF_CHECK_EQUAL(usable_cores(tree.files), 0.25);
  tree.write("root/a.slice/b.service/cpu.max", "max 100000\n");
  CAF_CHECK_EQUAL(usable_cores(tree.files), 0.25);
  tree.write("root/cpu.max", "10000 100000\n"); // of a container
  CAF_CHECK_EQUAL(usable_cores(tree.files), 0.1);
  tree.write("own", "0::/unknown\n");
  CAF_CHECK_EQUAL(usable_cores(tree.files), 0.1);
}

CAF_TEST(throttling is that of the cgroup that is held back most) {
  cgroup_tree tree;
  const auto stat = [&](const char* file, int us) {
    tree.write(file, "usage_usec 5\nthrottled_usec " + std::to_string(us) + "\n");
  };
  const char* const own = "root/a.slice/b.service/cpu.stat";
  const char* const above = "root/a.slice/cpu.stat";
  host_probe probe{tree.files};
  auto now = steady::time_point{1h};
  CAF_CHECK(!probe.sample(now).throttled); // nobody tells
  stat(own, 1'000'000);
  CAF_CHECK(!probe.sample(now += 1s).throttled); // a sum: one look says nothing
  stat(own, 1'250'000);
  stat(above, 9'000'000);
  CAF_CHECK_EQUAL(probe.sample(now += 1s).throttled.value_or(-1), 0.25);
  stat(own, 1'350'000);
  stat(above, 9'500'000);
  CAF_CHECK_EQUAL(probe.sample(now += 1s).throttled.value_or(-1), 0.5);
  stat(own, 0); // another group of the same name
  CAF_CHECK_EQUAL(probe.sample(now += 1s).throttled.value_or(-1), 0.0);
}

CAF_TEST(this machine has cores and memory) {
  CAF_CHECK_GREATER(usable_cores(), 0.0);
  host_probe probe;
  const auto first = probe.sample(steady::time_point{1h});
  CAF_CHECK(!first.idle_cores); // the kernel tells sums: one look says nothing
  CAF_CHECK(first.memory_available);
  CAF_CHECK_GREATER_OR_EQUAL(first.cores, 0.1);
}

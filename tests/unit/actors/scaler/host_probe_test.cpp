#define CAF_SUITE host_probe
#include "actors/scaler/host_probe.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::scaler;
using namespace std::chrono_literals;

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

CAF_TEST(this machine has cores and memory) {
  CAF_CHECK_GREATER(usable_cores(), 0.0);
  host_probe probe;
  const auto first = probe.sample(steady::time_point{1h});
  CAF_CHECK(!first.idle_cores); // the kernel tells sums: one look says nothing
  CAF_CHECK(first.memory_available);
  CAF_CHECK_GREATER_OR_EQUAL(first.cores, 0.1);
}

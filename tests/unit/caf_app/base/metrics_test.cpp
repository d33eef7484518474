#define CAF_SUITE metrics
#include "caf_app/base/metrics.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <thread>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/metrics_text.hpp"

using namespace caf_app;

CAF_TEST(counters and gauges are written with help and type and labels) {
  metrics registry;
  registry.counter("caf_b_total", "Requests.", {{"site", "a"}, {"code", "2xx"}}).add(3);
  registry.counter("caf_b_total", "Requests.", {{"site", "b"}, {"code", "5xx"}}).add();
  auto& open = registry.gauge("caf_a", "Open.");
  open.set(5);
  open.add(2);
  open.sub(8);
  CAF_CHECK_EQUAL(registry.exposition(), "# HELP caf_a Open.\n"
                                         "# TYPE caf_a gauge\n"
                                         "caf_a -1\n"
                                         "# HELP caf_b_total Requests.\n"
                                         "# TYPE caf_b_total counter\n"
                                         "caf_b_total{site=\"a\",code=\"2xx\"} 3\n"
                                         "caf_b_total{site=\"b\",code=\"5xx\"} 1\n");
}

CAF_TEST(a histogram has cumulative buckets and sum and count) {
  metrics registry;
  auto& seconds = registry.histogram("caf_seconds", "Time.", {0.0005, 0.25, 1}, {{"route", "/"}});
  for (const double value : {0.0005, 0.25, 0.25, 0.5, 4.0})
    seconds.observe(value);
  CAF_CHECK_EQUAL(registry.exposition(), "# HELP caf_seconds Time.\n"
                                         "# TYPE caf_seconds histogram\n"
                                         "caf_seconds_bucket{route=\"/\",le=\"0.0005\"} 1\n"
                                         "caf_seconds_bucket{route=\"/\",le=\"0.25\"} 3\n"
                                         "caf_seconds_bucket{route=\"/\",le=\"1\"} 4\n"
                                         "caf_seconds_bucket{route=\"/\",le=\"+Inf\"} 5\n"
                                         "caf_seconds_sum{route=\"/\"} 5.0005\n"
                                         "caf_seconds_count{route=\"/\"} 5\n");
}

CAF_TEST(a bound belongs to its bucket) {
  histogram buckets{{1, 2}};
  buckets.observe(1);
  buckets.observe(std::nextafter(1.0, 2.0));
  buckets.observe(2);
  buckets.observe(std::nextafter(2.0, 3.0));
  CAF_CHECK_EQUAL(buckets.bucket(0), 1u);
  CAF_CHECK_EQUAL(buckets.bucket(1), 2u);
  CAF_CHECK_EQUAL(buckets.bucket(2), 1u);
  CAF_CHECK_EQUAL(buckets.count(), 4u);
}

CAF_TEST(request durations have 14 bounds from half a millisecond to a minute) {
  const auto bounds = request_seconds_bounds();
  CAF_CHECK_EQUAL(bounds.size(), 14u);
  CAF_CHECK_EQUAL(bounds.front(), 0.0005);
  CAF_CHECK_EQUAL(bounds.back(), 60);
}

CAF_TEST(equal name and labels give the same metric) {
  metrics registry;
  auto& first = registry.counter("caf_x_total", "X.", {{"a", "1"}});
  CAF_CHECK_EQUAL(&first, &registry.counter("caf_x_total", "X.", {{"a", "1"}}));
  CAF_CHECK(&first != &registry.counter("caf_x_total", "X.", {{"a", "2"}}));
  auto& buckets = registry.histogram("caf_h", "H.", {1, 2});
  CAF_CHECK_EQUAL(&buckets, &registry.histogram("caf_h", "H.", {1, 2}));
}

CAF_TEST(label values and help texts are escaped) {
  metrics registry;
  registry.gauge("caf_x", "a\\b\n\"c\"", {{"path", "a\\b\n\"c\"\xFF"}}).set(1);
  CAF_CHECK_EQUAL(registry.exposition(), "# HELP caf_x a\\\\b\\n\"c\"\n"
                                         "# TYPE caf_x gauge\n"
                                         "caf_x{path=\"a\\\\b\\n\\\"c\\\"\xEF\xBF\xBD\"} 1\n");
}

CAF_TEST(an observer is read at every scrape until it is gone) {
  metrics registry;
  double value = 1.5;
  {
    const auto observer = registry.observe("caf_x", "X.", [&] { return value; }, {{"a", "1"}});
    CAF_CHECK_EQUAL(registry.exposition(),
                    "# HELP caf_x X.\n# TYPE caf_x gauge\ncaf_x{a=\"1\"} 1.5\n");
    value = std::numeric_limits<double>::infinity();
    CAF_CHECK_EQUAL(registry.exposition(),
                    "# HELP caf_x X.\n# TYPE caf_x gauge\ncaf_x{a=\"1\"} +Inf\n");
  }
  CAF_CHECK_EQUAL(registry.exposition(), "");
}

CAF_TEST(an observer of a total is a counter) {
  metrics registry;
  const auto total = registry.observe("caf_x_total", "X.", [] { return 7.0; });
  const auto now = registry.observe("caf_x_now", "X.", [] { return 7.0; });
  const auto text = registry.exposition();
  CAF_CHECK(text.find("# TYPE caf_x_total counter\ncaf_x_total 7\n") != std::string::npos);
  CAF_CHECK(text.find("# TYPE caf_x_now gauge\ncaf_x_now 7\n") != std::string::npos);
}

CAF_TEST(the last observer of a name wins and the first can go) {
  metrics registry;
  auto first = registry.observe("caf_x", "X.", [] { return 1.0; });
  auto second = registry.observe("caf_x", "X.", [] { return 2.0; });
  first.reset();
  CAF_CHECK(registry.exposition().ends_with("caf_x 2\n"));
  first = std::move(second);
  CAF_CHECK(registry.exposition().ends_with("caf_x 2\n"));
  first = {};
  CAF_CHECK_EQUAL(registry.exposition(), "");
}

CAF_TEST(an observer may outlive its registry) {
  metrics::observer observer;
  {
    metrics registry;
    observer = registry.observe("caf_x", "X.", [] { return 1.0; });
  }
  observer.reset();
  observer.reset();
  CAF_CHECK_EQUAL(metrics{}.exposition(), "");
}

CAF_TEST(threads lose no count) {
  constexpr int rounds = 20'000;
  metrics registry;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&registry] {
      auto& total = registry.counter("caf_x_total", "X.", {{"a", "1"}});
      auto& open = registry.gauge("caf_open", "Open.");
      auto& seconds = registry.histogram("caf_seconds", "Time.", {1, 2});
      for (int i = 0; i < rounds; ++i) {
        total.add(2);
        open.add(3);
        open.sub(2);
        seconds.observe(i % 2 ? 0.5 : 8.0);
        if (i % 4096 == 0)
          registry.exposition();
      }
    });
  for (auto& thread : threads)
    thread.join();
  CAF_CHECK_EQUAL(registry.counter("caf_x_total", "X.", {{"a", "1"}}).value(), 8u * rounds);
  CAF_CHECK_EQUAL(registry.gauge("caf_open", "Open.").value(), 4 * rounds);
  auto& seconds = registry.histogram("caf_seconds", "Time.", {1, 2});
  CAF_CHECK_EQUAL(seconds.bucket(0), 2u * rounds);
  CAF_CHECK_EQUAL(seconds.bucket(2), 2u * rounds);
  CAF_CHECK_EQUAL(seconds.sum(), 2 * rounds * 8.5);
}

CAF_TEST(numbers read as people write them) {
  const std::vector<std::pair<double, std::string>> rows{
      {0, "0"},
      {0.0005, "0.0005"},
      {0.1, "0.1"},
      {1e9, "1000000000"},
      {123456789012345, "123456789012345"},
      {1e300, "1e+300"},
      {1e-9, "1e-09"},
      {-2.5, "-2.5"},
      {-std::numeric_limits<double>::infinity(), "-Inf"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [value, text] : rows)
    CAF_CHECK_EQUAL(metric_number(value), text);
}

CAF_TEST(names follow the rules of Prometheus) {
  for (const auto* name : {"a", "_a", "a:b", "A9_"})
    CAF_CHECK(is_metric_name(name));
  for (const auto* name : {"", "9a", "a-b", "a b", "\xC3\xBC"})
    CAF_CHECK(!is_metric_name(name));
  CAF_CHECK(is_label_name("site"));
  for (const auto* name : {"", "a:b", "__name__", "9"})
    CAF_CHECK(!is_label_name(name));
}

CAF_TEST(promtool accepts the text where it is installed) {
  if (std::system("command -v promtool >/dev/null 2>&1") != 0) {
    CAF_MESSAGE("promtool is not installed");
    return;
  }
  metrics registry;
  registry.counter("caf_http_requests_total", "Requests answered.", {{"site", "a\"\\\nb"}}).add(7);
  registry.gauge("caf_http_connections", "Open connections.", {{"state", "idle"}}).set(-3);
  registry.histogram("caf_http_request_seconds", "Time to the last byte.", request_seconds_bounds())
      .observe(0.003);
  const auto lag = registry.observe("caf_loop_lag_seconds", "Loop lag.", [] { return 0.001; });
  auto* checker = ::popen("promtool check metrics", "w");
  CAF_REQUIRE(checker);
  const auto text = registry.exposition();
  CAF_CHECK_EQUAL(std::fwrite(text.data(), 1, text.size(), checker), text.size());
  CAF_CHECK_EQUAL(::pclose(checker), 0);
}

CAF_TEST(all series of a name can be summed up) {
  metrics books;
  books.counter("caf_test_a_total", "A.", {{"x", "1"}}).add(2);
  books.counter("caf_test_a_total", "A.", {{"x", "2"}}).add(3);
  books.gauge("caf_test_g", "G.").set(-4);
  const auto counted = books.sum("caf_test_a_total");
  CAF_CHECK_EQUAL(counted, 5);
  const auto gauged = books.sum("caf_test_g");
  CAF_CHECK_EQUAL(gauged, -4);
  const auto unknown = books.sum("caf_test_none");
  CAF_CHECK_EQUAL(unknown, 0);
}

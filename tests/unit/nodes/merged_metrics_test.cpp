#define CAF_SUITE merged_metrics
#include "nodes/merged_metrics.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/metrics.hpp"

using namespace caf_app;

CAF_TEST(without instances nothing changes) {
  metrics books;
  books.counter("a_total", "Some.", {{"x", "1"}}).add(3);
  books.gauge("b", "Other.").set(4);
  books.histogram("c_seconds", "Times.", {0.5, 1}).observe(0.7);
  const auto text = books.exposition();
  CAF_CHECK_EQUAL(merged_metrics(text, {}), text);
}

CAF_TEST(lines of instances are labelled and families stay together) {
  const std::string own{"# HELP a_total Some.\n# TYPE a_total counter\na_total{x=\"1\"} 3\n"
                        "# HELP b Other.\n# TYPE b gauge\nb 4\n"};
  const std::string other{"# HELP a_total Some.\n# TYPE a_total counter\na_total{x=\"1\"} 5\n"
                          "# HELP ab New.\n# TYPE ab gauge\nab 6\n"
                          "# HELP b Other.\n# TYPE b gauge\nb 7\n"};
  CAF_CHECK_EQUAL(merged_metrics(own, {{"n.2", other}, {"n.3", "# TYPE b gauge\nb 8"}}),
                  "# HELP a_total Some.\n# TYPE a_total counter\na_total{x=\"1\"} 3\n"
                  "a_total{instance=\"n.2\",x=\"1\"} 5\n"
                  "# HELP ab New.\n# TYPE ab gauge\nab{instance=\"n.2\"} 6\n"
                  "# HELP b Other.\n# TYPE b gauge\nb 4\nb{instance=\"n.2\"} 7\n"
                  "b{instance=\"n.3\"} 8");
}

#define CAF_SUITE web_digest
#include "nodes/web_digest.hpp"

#include <cmath>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/metrics.hpp"

using namespace caf_app;

namespace {

/// A digest of requests at bounds 0.1, 1 and above: how many each.
web_digest of(uint64_t fast, uint64_t slow, uint64_t slowest) {
  web_digest result;
  result.faster = {{0.1, fast}, {1, fast + slow}, {HUGE_VAL, fast + slow + slowest}};
  return result;
}

double q(const web_digest& before, const web_digest& after, double share) {
  return quantile(before, after, share).value_or(-1);
}

} // namespace

CAF_TEST(sums go over sites and routes but not over the admin interface) {
  metrics books;
  const auto count = [&](const char* route, const char* code, uint64_t n) {
    books
        .counter("caf_http_requests_total", "x",
                 {{"site", "*"}, {"route", route}, {"code_class", code}})
        .add(n);
    auto& seconds = books.histogram("caf_http_request_seconds", "x", {0.5, 2},
                                    {{"site", "*"}, {"route", route}});
    for (uint64_t i = 0; i < n; ++i)
      seconds.observe(i == 0 ? 3 : 0.1);
  };
  count("/a", "2xx", 4);
  count("/b c", "5xx", 2);
  count("admin", "2xx", 100);
  books.gauge("caf_http_requests_in_flight", "x", {{"state", "local"}}).set(2);
  books.gauge("caf_http_requests_in_flight", "x", {{"state", "eval"}}).set(1);
  const auto got = digest_metrics(books.exposition());
  CAF_CHECK_EQUAL(got.requests, 6u);
  CAF_CHECK_EQUAL(got.failed, 2u);
  CAF_CHECK_EQUAL(got.in_flight, 3);
  const std::map<double, uint64_t> faster{{0.5, 4}, {2, 4}, {HUGE_VAL, 6}};
  CAF_CHECK(got.faster == faster);
}

CAF_TEST(what is no line of metrics is passed over) {
  const auto got = digest_metrics("\n# HELP x\ncaf_http_requests_total\n{} \nx 1\n"
                                  "caf_http_requests_total 7");
  CAF_CHECK_EQUAL(got.requests, 7u);
  CAF_CHECK_EQUAL(digest_metrics("").requests, 0u);
}

CAF_TEST(a quantile is interpolated within its bucket) {
  CAF_CHECK_EQUAL(q({}, of(10, 0, 0), 0.5), 0.05);
  CAF_CHECK_EQUAL(q({}, of(10, 0, 0), 1), 0.1);
  CAF_CHECK_EQUAL(q({}, of(5, 5, 0), 0.5), 0.1);
  CAF_CHECK_EQUAL(q({}, of(0, 10, 0), 0.5), 0.55);
}

CAF_TEST(beyond the last bound that bound is told) {
  CAF_CHECK_EQUAL(q({}, of(1, 0, 9), 0.99), 1.0);
}

CAF_TEST(only what came in between counts) {
  CAF_CHECK_EQUAL(q(of(1000, 0, 0), of(1000, 10, 0), 0.5), 0.55);
  CAF_CHECK(!quantile(of(7, 1, 1), of(7, 1, 1), 0.5));
  CAF_CHECK(!quantile({}, {}, 0.5));
}

CAF_TEST(a node that has begun again counts from nothing) {
  CAF_CHECK(!quantile(of(1000, 0, 0), of(10, 0, 0), 0.5));
}

CAF_TEST(the last bound is null in JSON) {
  CAF_CHECK_EQUAL(to_json(of(1, 0, 1), 42),
                  R"({"requests":0,"failed":0,"in_flight":0,"faster":[[1E-1,1],[1E0,1],[null,2]],)"
                  R"("at_ms":42})");
}

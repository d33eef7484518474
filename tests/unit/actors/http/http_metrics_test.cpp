#define CAF_SUITE http_metrics
#include "actors/http/http_metrics.hpp"

#include <set>

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;

namespace {

bool has_line(const metrics& books, const std::string& line) {
  return books.exposition().find("\n" + line + "\n") != std::string::npos;
}

} // namespace

CAF_TEST(every close reason has a word of its own) {
  std::set<std::string_view> words;
  for (size_t i = 0; i < close_reason_count; ++i)
    words.insert(to_string(static_cast<close_reason>(i)));
  CAF_CHECK_EQUAL(words.size(), close_reason_count);
  CAF_CHECK_EQUAL(words.count(""), 0u);
}

CAF_TEST(refusals are counted by reason) {
  metrics books;
  const http_metrics testee{books};
  testee.rejected(fault::host);
  testee.rejected(fault::method_unknown);
  testee.rejected(fault::method_refused); // the same reason
  CAF_CHECK(has_line(books, "caf_http_rejected_total{reason=\"host\"} 1"));
  CAF_CHECK(has_line(books, "caf_http_rejected_total{reason=\"method\"} 2"));
}

CAF_TEST(what is no refusal is not counted) {
  metrics books;
  const http_metrics testee{books};
  const auto before = books.exposition();
  testee.rejected(fault::none);
  testee.rejected(fault::not_found);
  CAF_CHECK_EQUAL(books.exposition(), before);
}

CAF_TEST(answers are counted by class) {
  metrics books;
  const route_metrics testee{books, "a", "/x"};
  for (const uint16_t status : {0, 200, 299, 304, 404, 503, 600})
    testee.answered(status, 0.001, 0, 0);
  const std::string name = "caf_http_requests_total{site=\"a\",route=\"/x\",code_class=";
  CAF_CHECK(has_line(books, name + "\"0\"} 2"));
  CAF_CHECK(has_line(books, name + "\"1xx\"} 0"));
  CAF_CHECK(has_line(books, name + "\"2xx\"} 2"));
  CAF_CHECK(has_line(books, name + "\"3xx\"} 1"));
  CAF_CHECK(has_line(books, name + "\"4xx\"} 1"));
  CAF_CHECK(has_line(books, name + "\"5xx\"} 1"));
  CAF_CHECK(has_line(books, "caf_http_request_seconds_count{site=\"a\",route=\"/x\"} 7"));
}

CAF_TEST(content is counted by site) {
  metrics books;
  const route_metrics one{books, "a", "/x"}, other{books, "a", "/y"};
  one.answered(200, 0, 3, 40);
  other.answered(200, 0, 2, 2);
  CAF_CHECK(has_line(books, "caf_http_received_bytes_total{site=\"a\"} 5"));
  CAF_CHECK(has_line(books, "caf_http_sent_bytes_total{site=\"a\"} 42"));
}

CAF_TEST(outcomes of actor routes are counted by route) {
  metrics books;
  const actor_metrics testee{books, "/x"};
  testee.ended(actor_outcome::timed_out);
  CAF_CHECK(has_line(books, "caf_http_actor_requests_total{route=\"/x\",outcome=\"timed_out\"} 1"));
  CAF_CHECK(has_line(books, "caf_http_actor_requests_total{route=\"/x\",outcome=\"ok\"} 0"));
}

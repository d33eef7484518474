#define CAF_SUITE loop_context
#include "actors/http/loop_context.hpp"

#include <caf/sec.hpp>
#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

struct fixture {
  site_table_ptr table_with(size_t header_bytes) {
    auto config = std::make_shared<http_config>();
    config->limits.max_header_bytes = header_bytes;
    return *site_table::make(
        config, *books, [](const route_entry&) -> caf::expected<std::unique_ptr<route_handler>> {
          return caf::make_error(caf::sec::runtime_error);
        });
  }

  steady::time_point now{1h};
  metrics_ptr books = std::make_shared<metrics>();
  loop_context testee{table_with(1000), std::make_shared<http_metrics>(*books), nullptr, 3, now};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(loop_context_tests, fixture)

  CAF_TEST(exchange ids are unique within the node) {
    loop_context other{testee.table, testee.counters, nullptr, 4, now};
    CAF_CHECK_EQUAL(other.next_exchange_id(), (uint64_t{4} << 48) + 1);
    CAF_CHECK_EQUAL(testee.next_exchange_id(), (uint64_t{3} << 48) + 1);
    CAF_CHECK_EQUAL(testee.next_exchange_id(), (uint64_t{3} << 48) + 2);
  }

  CAF_TEST(a date is valid in HTTP and rendered anew when its second is over) {
    const std::string first{testee.date()};
    CAF_CHECK_EQUAL(first.size(), 29u);
    CAF_CHECK(first.ends_with(" GMT"));
    CAF_CHECK_EQUAL(testee.date().data(), testee.date().data());
    now += 1s;
    CAF_CHECK_EQUAL(testee.date().size(), 29u);
  }

  CAF_TEST(parsers are reused) {
    auto parser = testee.take_parser();
    auto* address = parser.get();
    parser->feed(std::string_view{"GET /half"});
    testee.give_parser(std::move(parser));
    parser = testee.take_parser();
    CAF_CHECK_EQUAL(parser.get(), address);
    CAF_CHECK(parser->is_idle());
  }

  CAF_TEST(a parser of the old configuration is not lent again) {
    auto kept = testee.take_parser(); // by a connection in the middle of a head
    auto spare = testee.take_parser();
    testee.give_parser(std::move(spare));
    testee.table = table_with(2000);
    testee.give_parser(testee.take_parser());
    testee.give_parser(std::move(kept));
    for (int i = 0; i < 3; ++i) {
      const auto parser = testee.take_parser();
      CAF_CHECK_EQUAL(parser->limits().max_header_bytes, 2000u);
    }
  }

  CAF_TEST(a reload that keeps the limits keeps the parsers) {
    auto parser = testee.take_parser();
    auto* address = parser.get();
    testee.table = table_with(1000);
    testee.give_parser(std::move(parser));
    CAF_CHECK_EQUAL(testee.take_parser().get(), address);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

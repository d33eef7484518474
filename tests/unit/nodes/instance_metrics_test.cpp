#define CAF_SUITE instance_metrics
#include "nodes/instance_metrics.hpp"

#include <climits>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

struct fixture {
  std::vector<std::string> instances{"n.2", "n.3"};
  std::string told;
  instance_metrics testee{[this](const std::string& line) {
    told = line;
    return instances;
  }};
  int calls = 0;
  instance_metrics::texts got;

  uint64_t collect() {
    return testee.collect([this](const instance_metrics::texts& texts) {
      ++calls;
      got = texts;
    });
  }
};

using texts = instance_metrics::texts;

} // namespace

CAF_TEST_FIXTURE_SCOPE(instance_metrics_tests, fixture)

  CAF_TEST(the answers of all are collected in any order) {
    const auto number = std::to_string(collect());
    CAF_CHECK_EQUAL(told, "metrics " + number);
    CAF_CHECK(testee.note("n.3", "metric " + number + " a 1"));
    CAF_CHECK(testee.note("n.2", "metric " + number + " b 2"));
    CAF_CHECK(testee.note("n.2", "metric " + number));
    CAF_CHECK(testee.note("n.3", "metric " + number + " c 3"));
    CAF_CHECK_EQUAL(calls, 0);
    CAF_CHECK(testee.note("n.3", "metric " + number));
    CAF_CHECK_EQUAL(calls, 1);
    CAF_CHECK(got == (texts{{"n.2", "b 2\n"}, {"n.3", "a 1\nc 3\n"}}));
    testee.give_up(std::stoull(number));
    CAF_CHECK_EQUAL(calls, 1);
  }

  CAF_TEST(without instances the answer comes at once) {
    instances.clear();
    collect();
    CAF_CHECK_EQUAL(calls, 1);
    CAF_CHECK(got.empty());
  }

  CAF_TEST(who does not answer in time or whole is left out) {
    const auto number = collect();
    testee.note("n.2", "metric " + std::to_string(number));
    testee.note("n.3", "metric " + std::to_string(number) + " a 1");
    testee.give_up(number);
    CAF_CHECK_EQUAL(calls, 1);
    CAF_CHECK(got == (texts{{"n.2", ""}}));
    CAF_CHECK(testee.note("n.3", "metric " + std::to_string(number))); // late
    CAF_CHECK_EQUAL(calls, 1);
  }

  CAF_TEST(nobody waits for an instance that has ended) {
    const auto number = std::to_string(collect());
    testee.note("n.3", "metric " + number);
    testee.forget("n.2");
    CAF_CHECK_EQUAL(calls, 1);
    CAF_CHECK(got == (texts{{"n.3", ""}}));
  }

  CAF_TEST(other lines are not ours and bad ones do nothing) {
    collect();
    CAF_CHECK(!testee.note("n.2", "sample {}"));
    CAF_CHECK(testee.note("n.2", "metric x"));
    CAF_CHECK(testee.note("n.4", "metric 1"));
    CAF_CHECK_EQUAL(calls, 0);
  }

  CAF_TEST(an answer comes in pieces of whole lines that are written at once) {
    std::string text;
    std::string expected;
    for (auto i = 0; i < 500; ++i) {
      text += "name_" + std::to_string(i) + " 1\n";
      expected += "metric 7 name_" + std::to_string(i) + " 1\n";
    }
    std::string all;
    for (const auto& piece : metric_lines("7", text)) {
      CAF_CHECK(piece.size() <= PIPE_BUF);
      CAF_CHECK(piece.ends_with('\n'));
      all += piece;
    }
    CAF_CHECK_EQUAL(all, expected + "metric 7\n");
  }

  CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE process_plan
#include "caf_app/process/process_plan.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace std::chrono_literals;
using namespace caf_app;

namespace {

using state = process_plan::state;
using step = process_plan::step;

const steady::time_point start{1h}; // any origin will do

process_spec spec() {
  process_spec result;
  result.name = "n1";
  result.timing = {2s, 5s};
  return result;
}

errc code_after(process_plan& plan, process_exit how) { return code_of(plan.ended(how)); }

} // namespace

CAF_TEST(a process is ready when its stdout says so with its name) {
  process_plan plan{spec(), start};
  CAF_CHECK(!plan.on_line("loading"));
  CAF_CHECK(!plan.on_line("ready"));
  CAF_CHECK(!plan.on_line("ready n2 127.0.0.1:1"));
  CAF_CHECK(!plan.on_line("already n1"));
  CAF_CHECK(plan.now() == state::starting);
  CAF_CHECK(plan.on_line("ready n1 127.0.0.1:80 [::1]:81"));
  CAF_CHECK(plan.now() == state::ready);
  const std::vector<std::string> wanted{"127.0.0.1:80", "[::1]:81"};
  CAF_CHECK_EQUAL(plan.addresses(), wanted);
  CAF_CHECK(!plan.due());
  CAF_CHECK(!plan.on_line("ready n1 127.0.0.1:9"));
  CAF_CHECK_EQUAL(plan.addresses(), wanted);
}

CAF_TEST(one that needs no ready line is ready at once) {
  auto what = spec();
  what.says_ready = false;
  process_plan plan{what, start};
  CAF_CHECK(plan.now() == state::ready);
  CAF_CHECK(!plan.due());
}

CAF_TEST(one that does not get ready in time is killed and has failed to start) {
  process_plan plan{spec(), start};
  CAF_REQUIRE(plan.due());
  CAF_CHECK(*plan.due() == start + 2s);
  CAF_CHECK(plan.on_time(start + 2s - 1ns) == step::none);
  CAF_CHECK(plan.on_time(start + 2s) == step::kill);
  CAF_CHECK(plan.on_time(start + 3s) == step::none);
  CAF_CHECK(!plan.on_line("ready n1"));
  CAF_CHECK(code_after(plan, {0, 9}) == errc::start_failed);
}

CAF_TEST(one that is told to end is terminated first and killed later) {
  for (const auto ready : {true, false}) {
    process_plan plan{spec(), start};
    if (ready)
      plan.on_line("ready n1");
    CAF_CHECK(plan.stop(start + 1s) == step::terminate);
    CAF_CHECK(plan.stop(start + 2s) == step::none);
    CAF_CHECK(plan.on_time(start + 6s - 1ns) == step::none);
    CAF_CHECK(plan.on_time(start + 6s) == step::kill);
    CAF_CHECK(plan.stop(start + 7s) == step::none);
    const auto reason = plan.ended({0, 9});
    CAF_CHECK(!reason);
  }
}

CAF_TEST(the way of an end decides its reason) {
  struct row {
    bool told;
    process_exit how;
    errc wanted;
  };
  const errc none{};
  for (const auto& [told, how, wanted] :
       {row{false, {0, 0}, none}, row{false, {1, 0}, errc::target_failed},
        row{false, {0, 11}, errc::target_failed}, row{true, {0, 0}, none}, row{true, {1, 0}, none},
        row{true, {0, 15}, none}}) {
    process_plan plan{spec(), start};
    plan.on_line("ready n1");
    if (told)
      plan.stop(start);
    CAF_CHECK(code_after(plan, how) == wanted);
    CAF_CHECK(plan.now() == state::ended);
  }
}

CAF_TEST(an end is told as text) {
  const auto exited = to_string(process_exit{3, 0});
  CAF_CHECK_EQUAL(exited, "exit status 3");
  const auto killed = to_string(process_exit{0, 9});
  CAF_CHECK_EQUAL(killed, "signal 9 (SIGKILL)");
}

#define CAF_SUITE call_port
#include "caf_app/eval/call_port.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

CAF_TEST(effects are granted by name in any case) {
  call_port port{{"http", "TRACE", "nonsense"}, nullptr};
  CAF_CHECK(port.grants(effect::http));
  CAF_CHECK(port.grants(effect::trace));
  CAF_CHECK(!port.grants(effect::error));
  CAF_CHECK(!port.grants(effect::files));
}

CAF_TEST(a denied effect names itself) {
  call_port port{{}, nullptr};
  for (auto [what, name] : {std::pair{effect::trace, "Trace"},
                            {effect::error, "Error"},
                            {effect::http, "HTTP"},
                            {effect::files, "FileSystem"}}) {
    std::string text;
    try {
      port.require(what);
    } catch (const permission_denied& denied) {
      text = denied.what();
    }
    CAF_CHECK_EQUAL(text, std::string{"permission denied: "} + name);
  }
}

CAF_TEST(the log is lines and starts anew when taken) {
  call_port port{{}, nullptr};
  port.log("one");
  port.log("two");
  CAF_CHECK_EQUAL(port.take_log(), "one\ntwo\n");
  CAF_CHECK_EQUAL(port.take_log(), "");
}

CAF_TEST(a log beyond a mebibyte is cut with a last line that says so) {
  call_port port{{}, nullptr};
  for (int i = 0; i < 3000; ++i)
    port.log(std::string(1000, 'x'));
  port.log("late");
  auto log = port.take_log();
  CAF_CHECK(log.size() <= log_bytes_max);
  CAF_CHECK(log.ends_with("x\n(the log was cut here)\n"));
  port.log("next");
  CAF_CHECK_EQUAL(port.take_log(), "next\n");
}

CAF_TEST(a line that is no UTF - 8 is replaced) {
  call_port port{{}, nullptr};
  port.log("\xFF");
  CAF_CHECK_EQUAL(port.take_log(), "(a line that is not UTF-8)\n");
}

#define CAF_SUITE log
#include "caf_app/base/log.hpp"

#include <limits>
#include <random>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <boost/json.hpp>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app;

namespace {

/// 2025-01-01T12:34:56.789Z
wall::time_point new_year() {
  return wall::time_point{std::chrono::milliseconds{1'735'734'896'789}};
}

/// A descriptor that keeps each write() apart: a pair of datagram sockets.
struct fixture {
  fixture() { CAF_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_DGRAM, 0, fds), 0); }

  ~fixture() {
    ::close(fds[0]);
    ::close(fds[1]);
  }

  logger make(log_format format, log_level level = log_level::debug, std::string node = "edge-1") {
    return logger{log_options{format, level, std::move(node), fds[0], new_year}};
  }

  /// What the next write() wrote; empty if there was none.
  std::string next_write() {
    std::string bytes(64 * 1024, '\0');
    const auto n = ::recv(fds[1], bytes.data(), bytes.size(), MSG_DONTWAIT);
    bytes.resize(n > 0 ? static_cast<size_t>(n) : 0);
    return bytes;
  }

  boost::json::object next_object() {
    const auto line = next_write();
    boost::json::error_code failed;
    auto value = boost::json::parse(line, failed);
    CAF_MESSAGE(line);
    CAF_REQUIRE(!failed && value.is_object());
    CAF_REQUIRE_EQUAL(line.find('\n'), line.size() - 1);
    return value.as_object();
  }

  int fds[2];
  const log_speaker speaker{"http/listener", 12};
};

struct actor_double {
  const char* name() const { return "greeter"; }
  uint64_t id() const { return 7; }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(log_tests, fixture)

  CAF_TEST(a text line has time and level and node and speaker and facts) {
    make(log_format::text)
        .warning(
            speaker, "restarted a child",
            {{"child", "conn-1"}, {"attempt", 3}, {"load", 0.5}, {"again", true}, {"why", "a b"}});
    CAF_CHECK_EQUAL(next_write(),
                    "2025-01-01T12:34:56.789Z warning edge-1 http/listener#12: restarted "
                    "a child child=conn-1 attempt=3 load=0.5 again=true why=\"a b\"\n");
  }

  CAF_TEST(a JSON line has the same as members) {
    make(log_format::json)
        .error(speaker, "restarted a child",
               {{"child", "conn-1"}, {"attempt", -3}, {"load", 0.5}, {"again", false}});
    CAF_CHECK_EQUAL(next_write(),
                    R"({"time":"2025-01-01T12:34:56.789Z","level":"error","node":"edge-1",)"
                    R"("actor":"http/listener","actor_id":12,"message":"restarted a child",)"
                    R"("child":"conn-1","attempt":-3,"load":0.5,"again":false})"
                    "\n");
  }

  CAF_TEST(who is no actor has no id and a node without name is left out) {
    make(log_format::text, log_level::debug, "").info({"main"}, "hello");
    CAF_CHECK_EQUAL(next_write(), "2025-01-01T12:34:56.789Z info main: hello\n");
    make(log_format::json, log_level::debug, "").debug({"main"}, "hello");
    CAF_CHECK_EQUAL(next_write(), R"({"time":"2025-01-01T12:34:56.789Z","level":"debug",)"
                                  R"("actor":"main","message":"hello"})"
                                  "\n");
  }

  CAF_TEST(an actor names itself) {
    const actor_double self;
    make(log_format::text, log_level::debug, "").info(speaker_of(&self), "hello");
    CAF_CHECK_EQUAL(next_write(), "2025-01-01T12:34:56.789Z info greeter#7: hello\n");
  }

  CAF_TEST(lines below the level are dropped) {
    const std::vector<log_level> levels{log_level::debug, log_level::info, log_level::warning,
                                        log_level::error};
    for (const auto limit :
         {log_level::debug, log_level::info, log_level::warning, log_level::error, log_level::off})
      for (const auto level : levels) {
        const auto log = make(log_format::text, limit);
        log.write(level, speaker, "x");
        CAF_CHECK_EQUAL(next_write().empty(), level < limit);
        CAF_CHECK_EQUAL(log.enabled(level), level >= limit);
      }
  }

  CAF_TEST(a silent logger is silent on every level) {
    const auto log = make_silent_logger();
    for (const auto level : {log_level::debug, log_level::error, log_level::off})
      CAF_CHECK(!log->enabled(level));
  }

  CAF_TEST(line breaks and quotes of a peer cannot forge a line or a fact) {
    const auto* evil = "x\n2025-01-01T12:34:56.789Z error fake: \"y\" z=1";
    make(log_format::text, log_level::debug, "").info({"a\nb"}, evil, {{"peer", evil}});
    CAF_CHECK_EQUAL(next_write(),
                    "2025-01-01T12:34:56.789Z info a\\nb: x\\n2025-01-01T12:34:56.789Z error "
                    "fake: \"y\" z=1 peer=\"x\\n2025-01-01T12:34:56.789Z error fake: "
                    "\\\"y\\\" z=1\"\n");
  }

  CAF_TEST(any bytes make one valid JSON object in one write) {
    std::mt19937 random{test_seed()};
    const auto log = make(log_format::json, log_level::debug, "n\"1");
    const auto bytes = [&] {
      std::string result(random() % 40, '\0');
      for (auto& byte : result)
        byte = static_cast<char>(random());
      return result;
    };
    for (int i = 0; i < 1000; ++i) {
      const auto name = bytes();
      const auto what = bytes();
      const auto fact = bytes();
      log.info({name, 1}, what, {{"fact", fact}, {"end", i}});
      const auto object = next_object();
      CAF_REQUIRE_EQUAL(object.at("end").as_int64(), i);
      CAF_REQUIRE(next_write().empty());
    }
  }

  CAF_TEST(numbers that JSON cannot write become null) {
    make(log_format::json)
        .info(speaker, "x",
              {{"nan", std::numeric_limits<double>::quiet_NaN()},
               {"inf", std::numeric_limits<double>::infinity()},
               {"max", std::numeric_limits<uint64_t>::max()},
               {"min", std::numeric_limits<int64_t>::min()}});
    const auto object = next_object();
    CAF_CHECK(object.at("nan").is_null());
    CAF_CHECK(object.at("inf").is_null());
    CAF_CHECK_EQUAL(object.at("max").as_uint64(), std::numeric_limits<uint64_t>::max());
    CAF_CHECK_EQUAL(object.at("min").as_int64(), std::numeric_limits<int64_t>::min());
  }

  CAF_TEST(threads do not mix their lines) {
    constexpr int lines = 100;
    const auto log = make(log_format::json);
    std::vector<std::thread> threads;
    const std::string what(200, 'x');
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < lines; ++i)
          log.info(speaker, what, {{"i", i}});
      });
    int seen = 0;
    while (seen < 4 * lines) {
      std::string bytes(64 * 1024, '\0');
      const auto n = ::recv(fds[1], bytes.data(), bytes.size(), 0); // waits for the threads
      CAF_REQUIRE(n > 0);
      bytes.resize(static_cast<size_t>(n));
      CAF_REQUIRE_EQUAL(bytes.find('\n'), bytes.size() - 1);
      ++seen;
    }
    for (auto& thread : threads)
      thread.join();
    CAF_CHECK(next_write().empty());
  }

  CAF_TEST(a descriptor that takes nothing does not stop the speaker) {
    log_options options;
    options.fd = -1;
    const auto log = make_logger(options);
    log->error(speaker, "nobody reads this");
    CAF_CHECK(log->enabled(log_level::error));
  }

  CAF_TEST_FIXTURE_SCOPE_END()

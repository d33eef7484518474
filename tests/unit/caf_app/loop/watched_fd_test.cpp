#define CAF_SUITE watched_fd
#include "caf_app/loop/watched_fd.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"

using namespace caf_app;
using namespace caf_app::test;

CAF_TEST_FIXTURE_SCOPE(watched_fd_tests, loop_fixture)

  CAF_TEST(the owner is called while there is something to read and not after close) {
    unique_fd event{checked(::eventfd(0, EFD_NONBLOCK), "eventfd")};
    watched<uint64_t> sum;
    watched_fd* testee = nullptr;
    on_loop(loop, [&] {
      testee = watched_fd::open(loop, event.get(), [&] {
        uint64_t count = 0;
        if (::read(event.get(), &count, sizeof count) > 0)
          sum.change([&](uint64_t& x) { x += count; });
      });
    });
    CAF_REQUIRE(testee);
    for (uint64_t i = 1; i <= 3; ++i) {
      ::eventfd_write(event.get(), 1);
      sum.wait([&](uint64_t x) { return x == i; });
    }
    on_loop(loop, [&] { testee->close(); });
    ::eventfd_write(event.get(), 1);
    wait_for_no_sockets(loop);
    CAF_CHECK_EQUAL(sum.get(), 3u);
  }

  CAF_TEST(the end of a pipe is told) {
    int ends[2];
    checked(::pipe(ends), "pipe");
    unique_fd reading{ends[0]};
    unique_fd writing{ends[1]};
    watched<int> ended;
    watched_fd* testee = nullptr;
    on_loop(loop, [&] {
      testee = watched_fd::open(loop, reading.get(), [&] {
        char c = 0;
        if (::read(reading.get(), &c, 1) == 0) {
          testee->close();
          ended.change([](int& x) { ++x; });
        }
      });
    });
    writing.reset();
    ended.wait([](int x) { return x == 1; });
    wait_for_no_sockets(loop);
  }

  CAF_TEST(closing at once and closing the descriptor first are fine) {
    unique_fd event{checked(::eventfd(0, EFD_NONBLOCK), "eventfd")};
    on_loop(loop, [&] { watched_fd::open(loop, event.get(), [] {})->close(); });
    watched_fd* testee = nullptr;
    on_loop(loop, [&] { testee = watched_fd::open(loop, event.get(), [] {}); });
    event.reset();
    on_loop(loop, [&] { testee->close(); });
    wait_for_no_sockets(loop);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

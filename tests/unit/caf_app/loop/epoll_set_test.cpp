#define CAF_SUITE epoll_set
#include "caf_app/loop/epoll_set.hpp"

#include <cerrno>
#include <functional>
#include <vector>

#include <sys/eventfd.h>
#include <unistd.h>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

/// An eventfd that counts what it is called for.
struct source : poll_handler {
  source() : fd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~source() override { ::close(fd); }

  void on_poll(uint32_t events) noexcept override {
    seen.push_back(events);
    if (hook)
      hook();
  }

  void make_readable() const {
    const uint64_t one = 1;
    CAF_REQUIRE_EQUAL(::write(fd, &one, sizeof one), 8);
  }

  int fd;
  std::vector<uint32_t> seen;
  std::function<void()> hook;
};

struct fixture {
  void poll() {
    polls.wait(0);
    polls.dispatch();
  }

  epoll_set polls;
  source one, two;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(epoll_set_tests, fixture)

  CAF_TEST(a level is reported as long as it lasts) {
    CAF_CHECK_EQUAL(polls.add(one.fd, EPOLLIN, one), 0);
    poll();
    CAF_CHECK_EQUAL(one.seen.size(), 0u);
    one.make_readable();
    poll();
    poll();
    CAF_CHECK_EQUAL(one.seen, (std::vector<uint32_t>{EPOLLIN, EPOLLIN}));
  }

  CAF_TEST(an edge is reported once and again after a change) {
    polls.add(one.fd, EPOLLIN | EPOLLET, one);
    one.make_readable();
    poll();
    poll();
    CAF_CHECK_EQUAL(one.seen.size(), 1u);
    polls.change(one.fd, EPOLLIN | EPOLLET, one);
    poll();
    CAF_CHECK_EQUAL(one.seen.size(), 2u);
    one.make_readable(); // another edge, although nothing was read
    poll();
    CAF_CHECK_EQUAL(one.seen.size(), 3u);
  }

  CAF_TEST(a handler that was removed is not called for what was found already) {
    for (auto* x : {&one, &two}) {
      polls.add(x->fd, EPOLLIN, *x);
      x->make_readable();
    }
    one.hook = [&] { polls.remove(two.fd, two); };
    two.hook = [&] { polls.remove(one.fd, one); };
    poll();
    one.hook = two.hook = nullptr;
    CAF_CHECK_EQUAL(one.seen.size() + two.seen.size(), 1u);
    poll();
    CAF_CHECK_EQUAL(one.seen.size() + two.seen.size(), 2u); // the one that is left
  }

  CAF_TEST(a handler may remove itself and be added again) {
    polls.add(one.fd, EPOLLIN, one);
    one.make_readable();
    one.hook = [&] {
      polls.remove(one.fd, one);
      CAF_CHECK_EQUAL(polls.add(one.fd, EPOLLIN, one), 0);
    };
    poll();
    poll();
    CAF_CHECK_EQUAL(one.seen.size(), 2u);
  }

  CAF_TEST(more handlers than one wait reports are reported by the next) {
    std::vector<source> many(epoll_set::events_per_wait + 1);
    for (auto& x : many) {
      CAF_REQUIRE_EQUAL(polls.add(x.fd, EPOLLIN | EPOLLET, x), 0);
      x.make_readable();
    }
    poll();
    poll();
    for (const auto& x : many)
      CAF_REQUIRE_EQUAL(x.seen.size(), 1u);
  }

  CAF_TEST(a descriptor that cannot be watched is an error value) {
    CAF_CHECK_EQUAL(polls.add(-1, EPOLLIN, one), EBADF);
    CAF_CHECK_EQUAL(polls.add(one.fd, EPOLLIN, one), 0);
    CAF_CHECK_EQUAL(polls.add(one.fd, EPOLLIN, one), EEXIST);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE acceptor
#include "caf_app/loop/acceptor.hpp"

#include <sys/resource.h>

#include <list>
#include <memory>
#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::test;

namespace {

struct accept_log {
  int accepted = 0;
  int exceptions = 0;
  std::vector<int> pauses;
  std::string last_peer;
};

/// Counts connections, and keeps or serves them as the test wants.
class recording_acceptor : public accept_owner {
public:
  void on_accept(int fd, const socket_address& peer) override {
    unique_fd owned{fd};
    log.change([&](accept_log& x) {
      ++x.accepted;
      x.last_peer = to_string(peer);
    });
    if (accept_hook)
      accept_hook(std::move(owned));
  }
  void on_accept_paused(int error) override {
    log.change([&](accept_log& x) { x.pauses.push_back(error); });
    if (pause_hook)
      pause_hook();
  }
  void on_accept_exception() override {
    log.change([](accept_log& x) { ++x.exceptions; });
  }

  watched<accept_log> log;
  std::function<void(unique_fd)> accept_hook; // without it connections are closed at once
  std::function<void()> pause_hook;
};

/// Echoes and closes itself when its peer does.
class echo : public stream_owner {
public:
  echo(event_loop& loop, unique_fd fd)
      : socket_(stream_socket::open(loop, fd.release(), *this)), loop_(loop) {}
  void on_data(std::span<const char> bytes) override {
    socket_->write({bytes.data(), bytes.size()});
  }
  void on_end() override { leave(); }
  void on_drained() override {}
  void on_failed(int) override { leave(); }
  void on_exception() override { leave(); }

private:
  void leave() {
    socket_->close();
    loop_.post([this] { delete this; });
  }
  stream_socket* socket_;
  event_loop& loop_;
};

struct fixture : loop_fixture {
  fixture() {
    auto bound = listen_tcp(*parse_socket_address("127.0.0.1:0"), 128, port_sharing::exclusive);
    CAF_REQUIRE(bound);
    listener = *bound;
  }

  ~fixture() { close(); }

  template <class F>
  auto run(F f) {
    return on_loop(loop, std::move(f));
  }

  void open() {
    run([&] { testee = acceptor::open(loop, listener, owner); });
  }

  void close() {
    run([&] {
      if (testee)
        std::exchange(testee, nullptr)->close();
    });
    wait_for_no_sockets(loop);
  }

  peer_socket connect() { return peer_socket{connect_to(listener->fd())}; }

  accept_log wait_for_accepted(int count) {
    return owner.log.wait([count](const accept_log& x) { return x.accepted >= count; });
  }

  recording_acceptor owner;
  listen_socket_ptr listener;
  acceptor* testee = nullptr;
};

/// UBSan opens a pipe to look at an object and reports a bad one if it cannot, so the two tests
/// that run out of descriptors prove nothing there. The broken listener takes the same way.
#ifdef __SANITIZE_ADDRESS__
constexpr bool can_run_out_of_descriptors = false;
#else
constexpr bool can_run_out_of_descriptors = true;
#endif

/// Lowers the soft limit of descriptors while it lives.
class descriptor_limit {
public:
  explicit descriptor_limit(size_t count) {
    ::getrlimit(RLIMIT_NOFILE, &saved_);
    auto lower = saved_;
    lower.rlim_cur = count;
    checked(::setrlimit(RLIMIT_NOFILE, &lower), "setrlimit");
  }
  ~descriptor_limit() { ::setrlimit(RLIMIT_NOFILE, &saved_); }

private:
  rlimit saved_{};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(acceptor_tests, fixture)

  CAF_TEST(connections are handed over with the address of the peer) {
    open();
    auto client = connect();
    sockaddr_storage name{};
    socklen_t size = sizeof name;
    ::getsockname(client.fd(), reinterpret_cast<sockaddr*>(&name), &size);
    CAF_CHECK_EQUAL(wait_for_accepted(1).last_peer, to_string(socket_address{name, size}));
    CAF_CHECK_EQUAL(client.wait_for_end(), 0);
  }

  CAF_TEST(accepted sockets do not block and are not inherited and do not delay) {
    std::promise<std::vector<int>> flags;
    owner.accept_hook = [&](unique_fd fd) {
      int nodelay = 0;
      socklen_t size = sizeof nodelay;
      ::getsockopt(fd.get(), IPPROTO_TCP, 1 /* TCP_NODELAY */, &nodelay, &size);
      flags.set_value(
          {::fcntl(fd.get(), F_GETFL) & O_NONBLOCK, ::fcntl(fd.get(), F_GETFD), nodelay});
    };
    open();
    auto client = connect();
    CAF_CHECK_EQUAL(value_of(flags.get_future()), std::vector<int>({O_NONBLOCK, FD_CLOEXEC, 1}));
  }

  CAF_TEST(a paused acceptor leaves connections in the queue) {
    open();
    run([&] {
      testee->pause();
      testee->pause();
    });
    auto client = connect();
    run([] {});
    run([] {});
    CAF_CHECK_EQUAL(owner.log.get().accepted, 0);
    CAF_CHECK(run([&] { return testee->paused(); }));
    run([&] {
      testee->resume();
      testee->resume();
    });
    wait_for_accepted(1);
  }

  CAF_TEST(pausing inside of the callback holds the rest back) {
    run([&] {
      testee = acceptor::open(loop, listener, owner);
      testee->pause();
    });
    std::list<peer_socket> clients;
    for (int i = 0; i < 5; ++i)
      clients.push_back(connect());
    owner.accept_hook = [&](unique_fd) { testee->pause(); };
    for (int i = 1; i <= 5; ++i) {
      run([&] { testee->resume(); });
      CAF_CHECK_EQUAL(wait_for_accepted(i).accepted, i);
    }
  }

  CAF_TEST(draining takes what is queued although it is paused) {
    open();
    run([&] { testee->pause(); });
    std::list<peer_socket> clients;
    for (int i = 0; i < 10; ++i)
      clients.push_back(connect());
    CAF_CHECK_EQUAL(run([&] { return testee->drain_queue(); }), 10u);
    CAF_CHECK_EQUAL(run([&] { return testee->drain_queue(); }), 0u);
    CAF_CHECK(run([&] { return testee->paused(); }));
  }

  CAF_TEST(a successor takes over what its predecessor left in the queue) {
    open();
    for (int i = 0; i < 50; ++i) {
      run([&] { testee->pause(); });
      auto client = connect();
      // In one job, as when a supervisor restarts the owner at once; nothing in between polls.
      run([&] {
        testee->resume();
        testee->close();
        testee = acceptor::open(loop, listener, owner);
      });
      wait_for_accepted(i + 1);
    }
    run([&] {
      testee->close();
      testee = acceptor::open(loop, listener, owner);
    });
    auto client = connect();
    wait_for_accepted(51);
  }

  CAF_TEST(an acceptor may be closed inside of its callback) {
    owner.accept_hook = [&](unique_fd) { std::exchange(testee, nullptr)->close(); };
    open();
    auto one = connect();
    auto other = connect();
    wait_for_accepted(1);
    wait_for_no_sockets(loop);
    CAF_CHECK_EQUAL(owner.log.get().accepted, 1);
  }

  CAF_TEST(an exception in the callback is reported and accepting goes on) {
    owner.accept_hook = [&](unique_fd) { throw 1; };
    open();
    auto one = connect();
    owner.log.wait([](auto& x) { return x.exceptions == 1; });
    auto other = connect();
    owner.log.wait([](auto& x) { return x.exceptions == 2; });
  }

  CAF_TEST(connections reset in the queue hurt nobody) {
    open();
    run([&] { testee->pause(); });
    for (int i = 0; i < 20; ++i)
      connect().reset();
    auto living = connect();
    run([&] { testee->resume(); });
    CAF_CHECK_EQUAL(living.wait_for_end(), 0);
  }

  CAF_TEST(a listening socket that broke pauses instead of spinning) {
    owner.pause_hook = [&] {};
    open();
    ::shutdown(listener->fd(), SHUT_RDWR);
    owner.log.wait([](auto& x) { return x.pauses.size() >= 2; });
    const auto passes = loop.stats().passes;
    owner.log.wait([&, n = owner.log.get().pauses.size()](auto& x) { return x.pauses.size() > n; });
    CAF_CHECK(loop.stats().passes - passes < 20);
  }

  CAF_TEST(without descriptors it pauses and does not spin and resumes) {
    if constexpr (!can_run_out_of_descriptors)
      return;
    std::list<unique_fd> held; // on the loop only
    owner.accept_hook = [&](unique_fd fd) { held.push_back(std::move(fd)); };
    open();
    run([&] { testee->pause(); });
    std::list<peer_socket> clients;
    for (int i = 0; i < 10; ++i)
      clients.push_back(connect());
    {
      const auto next = unique_fd{::dup(0)}.get(); // lowest free number
      std::list<unique_fd> fillers;                // no holes below the limit
      const descriptor_limit limit{static_cast<size_t>(next) + 64};
      for (int fd = ::dup(0); fd >= 0; fd = ::dup(0))
        fillers.emplace_back(fd);
      fillers.pop_back();
      fillers.pop_back();
      run([&] { testee->resume(); });
      const auto log = owner.log.wait([](auto& x) { return x.pauses.size() == 1; });
      CAF_CHECK_EQUAL(log.pauses.front(), EMFILE);
      CAF_CHECK_EQUAL(log.accepted, 2);
      const auto passes = loop.stats().passes;
      owner.log.wait([](auto& x) { return x.pauses.size() == 4; }); // three pauses of 100 ms
      CAF_CHECK(loop.stats().passes - passes < 60);
      CAF_CHECK_EQUAL(owner.log.get().accepted, 2);
    }
    CAF_CHECK_EQUAL(wait_for_accepted(10).accepted, 10);
    run([&] { held.clear(); });
  }

CAF_TEST(an acceptor paused by its owner for lack of descriptors stays so) {
  if constexpr (!can_run_out_of_descriptors)
    return;
  owner.pause_hook = [&] { testee->pause(); };
  open();
  run([&] { testee->pause(); });
  auto client = connect();
  {
    std::list<unique_fd> fillers;
    const auto next = unique_fd{::dup(0)}.get();
    const descriptor_limit limit{static_cast<size_t>(next)};
    for (int fd = ::dup(0); fd >= 0; fd = ::dup(0))
      fillers.emplace_back(fd);
    run([&] { testee->resume(); });
    owner.log.wait([](auto& x) { return x.pauses.size() == 1; });
  }
  std::promise<void> later;
  wheel_timer timer{[&] { later.set_value(); }};
  run([&] { loop.timers().arm(timer, loop.now() + 3 * acceptor::pause_for_descriptors); });
  value_of(later.get_future());
  CAF_CHECK_EQUAL(owner.log.get().accepted, 0);
  run([&] { testee->resume(); });
  wait_for_accepted(1);
}

CAF_TEST(two thousand connections leak no descriptor) {
  owner.accept_hook = [&](unique_fd fd) { new echo{loop, std::move(fd)}; };
  open();
  connect().close();
  wait_for_accepted(1);
  const auto sockets = [&] { return run([&] { return loop.stats().sockets; }); };
  while (sockets() > 1)
    ;
  const auto before = open_descriptors();
  for (int round = 0; round < 40; ++round) {
    std::list<peer_socket> clients;
    for (int i = 0; i < 50; ++i)
      clients.push_back(connect());
    int i = 0;
    for (auto& client : clients) {
      client.send("ping");
      CAF_REQUIRE_EQUAL(client.receive(4), "ping");
      if (++i % 3 == 0)
        client.reset();
    }
  }
  while (sockets() > 1)
    ;
  CAF_CHECK_EQUAL(owner.log.get().accepted, 2'001);
  CAF_CHECK_EQUAL(open_descriptors(), before);
}

CAF_TEST_FIXTURE_SCOPE_END()

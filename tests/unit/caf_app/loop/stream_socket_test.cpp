#define CAF_SUITE stream_socket
#include "caf_app/loop/stream_socket.hpp"

#include <random>
#include <string>
#include <thread>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"
#include "support/seed.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::test;

namespace {

std::string pattern(size_t size) {
  std::string result(size, '\0');
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>((i * 31 + (i >> 8) * 7) & 0xff);
  return result;
}

shared_file_ptr file_of(std::string_view content) {
  return std::make_shared<const shared_file>(temporary_file(content));
}

struct fixture : loop_fixture {
  ~fixture() { owner.close(loop); }

  void open(connection link) {
    peer = std::move(link.peer);
    owner.open(loop, std::move(link.ours));
  }

  template <class F>
  auto run(F f) {
    return on_loop(loop, std::move(f));
  }

  stream_log wait(std::function<bool(const stream_log&)> wanted) { return owner.log.wait(wanted); }

  recording_owner owner;
  peer_socket peer;
};

bool failed(const stream_log& x) { return !x.failures.empty(); }

} // namespace

CAF_TEST_FIXTURE_SCOPE(stream_socket_tests, fixture)

  CAF_TEST(bytes arrive in order and are answered directly) {
    open(tcp_pair());
    const auto sent = pattern(500'000);
    peer.send(sent);
    CAF_CHECK(wait([&](auto& x) { return x.received.size() == sent.size(); }).received == sent);
    run([&] { owner.socket->write("answer"); });
    CAF_CHECK_EQUAL(peer.receive(6), "answer");
    CAF_CHECK_EQUAL(run([&] { return owner.socket->sent_bytes(); }), 6u);
    CAF_CHECK_EQUAL(run([&] { return owner.socket->queued(); }), 0u);
    CAF_CHECK_EQUAL(owner.log.get().drained, 0); // nothing ever waited
  }

  CAF_TEST(paused reading leaves bytes with the peer until it is resumed) {
    open(unix_pair());
    run([&] {
      owner.socket->pause_reading();
      owner.socket->pause_reading();
    });
    peer.send("later");
    run([] {}); // a pass that would have read
    run([] {});
    CAF_CHECK_EQUAL(owner.log.get().received, "");
    CAF_CHECK(!run([&] { return owner.socket->reading(); }));
    run([&] {
      owner.socket->resume_reading();
      owner.socket->resume_reading();
    });
    wait([](auto& x) { return x.received == "later"; });
  }

  CAF_TEST(pausing and resuming within one pass changes nothing) {
    open(unix_pair());
    for (int i = 0; i < 100; ++i)
      run([&] {
        owner.socket->pause_reading();
        owner.socket->resume_reading();
        owner.socket->pause_reading();
        owner.socket->resume_reading();
      });
    peer.send("x");
    wait([](auto& x) { return x.received == "x"; });
  }

  CAF_TEST(pausing inside of a callback stops at once) {
    owner.data_hook = [&] { owner.socket->pause_reading(); };
    open(tcp_pair());
    peer.send(std::string(3 * loop.scratch().size(), 'x'));
    wait([](auto& x) { return !x.received.empty(); });
    run([] {});
    run([] {});
    CAF_CHECK(owner.log.get().received.size() <= loop.scratch().size());
  }

  CAF_TEST(what came while reading was paused is read once it is resumed) {
    for (const auto size : {size_t{1}, loop.scratch().size(), 9 * loop.scratch().size()}) {
      owner.log.change([](stream_log& x) { x = {}; });
      const auto sent = pattern(size);
      int pauses = 0; // on the loop only
      owner.data_hook = [&] {
        owner.socket->pause_reading();
        ++pauses;
        loop.post([&] {
          if (owner.socket)
            owner.socket->resume_reading();
        });
      };
      open(unix_pair());
      std::jthread sender{[&] { // more than the kernel holds
        peer.send(sent);
        peer.shutdown_write();
      }};
      const auto log = wait([](auto& x) { return x.ends == 1; });
      CAF_CHECK(log.received == sent);
      CAF_CHECK(run([&] { return pauses; }) > 0);
      owner.data_hook = nullptr;
      owner.close(loop);
    }
  }

  CAF_TEST(the end right behind the last bytes is seen) {
    for (int i = 0; i < 200; ++i) {
      owner.log.change([](stream_log& x) { x = {}; });
      open(tcp_pair());
      peer.send(pattern(static_cast<size_t>(1 + i * 997)));
      peer.shutdown_write();
      const auto log = wait([](auto& x) { return x.ends == 1; });
      CAF_REQUIRE_EQUAL(log.received.size(), static_cast<size_t>(1 + i * 997));
      owner.close(loop);
    }
  }

  CAF_TEST(a reader that keeps up does not keep the rest from being sent) {
    open(tcp_pair());
    const auto content = pattern(24'000'000); // many turns of write_bytes_per_event
    std::string received;
    std::jthread reader{[&] { received = peer.receive(content.size()); }};
    run([&] { owner.socket->write_file("", file_of(content), 0, content.size()); });
    reader.join();
    CAF_CHECK(received == content);
  }

  CAF_TEST(a half closed peer is told once and can still be answered) {
    open(tcp_pair());
    peer.send("request");
    peer.shutdown_write();
    wait([](auto& x) { return x.ends == 1; });
    run([&] { owner.socket->resume_reading(); }); // has no effect any more
    run([] {});
    CAF_CHECK_EQUAL(owner.log.get().ends, 1);
    run([&] {
      owner.socket->write("response");
      owner.socket->shutdown_write();
      owner.socket->shutdown_write();
    });
    CAF_CHECK_EQUAL(peer.receive(100), "response"); // FIN ends it
    CAF_CHECK_EQUAL(owner.log.get().failures.size(), 0u);
  }

  CAF_TEST(our half close comes after what is queued) {
    open(unix_pair());
    const auto sent = pattern(2'000'000);
    run([&] {
      owner.socket->write(sent);
      owner.socket->shutdown_write();
      CAF_CHECK(owner.socket->queued() > 0);
    });
    CAF_CHECK(peer.receive(sent.size() + 1) == sent);
    wait([](auto& x) { return x.drained == 1; });
    peer.send("still heard");
    wait([](auto& x) { return x.received == "still heard"; });
  }

  CAF_TEST(ten MiB reach a slow reader while only one piece waits in memory) {
    constexpr size_t piece = 64 * 1024, total = 10 * 1024 * 1024;
    const auto content = pattern(total);
    size_t position = 0, most_queued = 0; // on the loop only
    auto fill = [&] {
      while (position < total && owner.socket->queued() == 0) {
        owner.socket->write(std::string_view{content}.substr(position, piece));
        position += piece;
        most_queued = std::max<size_t>(most_queued, owner.socket->queued());
      }
      if (position >= total)
        owner.socket->shutdown_write();
    };
    owner.drained_hook = fill;
    open(tcp_pair());
    run(fill);
    std::string received;
    while (received.size() < total) // small reads, each a system call: slower than the writer
      received += peer.receive(std::min<size_t>(8'192, total - received.size()));
    CAF_CHECK(received == content);
    CAF_CHECK(run([&] { return most_queued; }) <= piece);
    CAF_CHECK_EQUAL(run([&] { return owner.socket->sent_bytes(); }), total);
  }

  CAF_TEST(a file is sent behind its head) {
    open(tcp_pair());
    const auto content = pattern(3'000'000);
    run([&] {
      owner.socket->write_file("head ", file_of(content), 10, 2'900'000);
      owner.socket->write(" tail");
    });
    CAF_CHECK_EQUAL(peer.receive(5), "head ");
    CAF_CHECK(peer.receive(2'900'000) == content.substr(10, 2'900'000));
    CAF_CHECK_EQUAL(peer.receive(5), " tail");
    CAF_CHECK_EQUAL(run([&] { return owner.socket->sent_bytes(); }), 2'900'010u);
  }

  CAF_TEST(a file shorter than promised breaks the connection) {
    open(unix_pair());
    run([&] { owner.socket->write_file("head ", file_of("abc"), 0, 4); });
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{EIO});
  }

  CAF_TEST(a file sent to a peer that is gone is a failure and no signal) {
    open(unix_pair());
    run([&] { owner.socket->pause_reading(); });
    peer.close();
    run([&] { owner.socket->write_file("", file_of("abc"), 0, 3); });
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{EPIPE});
  }

  CAF_TEST(a failed write is reported later and once) {
    open(unix_pair());
    run([&] { owner.socket->pause_reading(); });
    peer.close();
    const auto reported_inside = run([&] {
      owner.socket->write("a");
      owner.socket->write("b");
      return owner.log.get().failures.size();
    });
    CAF_CHECK_EQUAL(reported_inside, 0u);
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{EPIPE});
    run([&] {
      owner.socket->write("c");
      owner.socket->resume_reading();
      owner.socket->shutdown_write();
    });
    run([] {});
    CAF_CHECK_EQUAL(owner.log.get().failures.size(), 1u);
    CAF_CHECK(run([&] { return owner.socket->broken(); }));
  }

  CAF_TEST(a socket closed after a failed write reports nothing) {
    open(unix_pair());
    run([&] { owner.socket->pause_reading(); });
    peer.close();
    run([&] {
      owner.socket->write("a");
      owner.close_now();
    });
    wait_for_no_sockets(loop);
    CAF_CHECK_EQUAL(owner.log.get().failures.size(), 0u);
  }

  CAF_TEST(a reset while reading is a failure) {
    open(tcp_pair());
    peer.send("x");
    wait([](auto& x) { return x.received == "x"; });
    peer.reset();
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{ECONNRESET});
    CAF_CHECK_EQUAL(owner.log.get().ends, 0);
  }

  CAF_TEST(a reset while a write waits is a failure even if reading is paused) {
    open(tcp_pair());
    run([&] {
      owner.socket->pause_reading();
      owner.socket->write(std::string(20'000'000, 'x'));
      CAF_CHECK(owner.socket->queued() > 0);
    });
    peer.reset();
    const auto log = wait(failed);
    CAF_CHECK(log.failures == std::vector<int>{ECONNRESET} ||
              log.failures == std::vector<int>{EPIPE});
    CAF_CHECK_EQUAL(run([&] { return owner.socket->queued(); }), 0u);
  }

  CAF_TEST(what a peer had sent before its reset is read first by who wants that) {
    for (const auto writes : {false, true}) {
      open(tcp_pair());
      run([&] {
        owner.socket->read_before_failing();
        owner.socket->pause_reading();
      });
      peer.send("early");
      peer.reset();
      while (!run([&] { return owner.socket->broken(); })) // loopback: at once
        ;
      run([&] {
        if (writes) // takes the error away from who reads
          owner.socket->write("x");
        owner.socket->resume_reading();
      });
      const auto log = wait(failed);
      CAF_CHECK_EQUAL(log.received, "early");
      CAF_CHECK_EQUAL(log.failures.size(), 1u);
      CAF_CHECK_EQUAL(log.ends, 0); // what looks like one behind a reset is none
      owner.close(loop);
      owner.log.change([](auto& x) { x = {}; });
    }
  }

  CAF_TEST(a refused write ends a socket that reads first although its peer had ended) {
    open(unix_pair());
    run([&] { owner.socket->read_before_failing(); });
    peer.shutdown_write();
    wait([](auto& x) { return x.ends == 1; });
    peer.close();
    run([&] { owner.socket->write("x"); });
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{EPIPE});
  }

  CAF_TEST(a reset is seen by who asks although the socket gets no events) {
    open(tcp_pair());
    run([&] { owner.socket->pause_reading(); });
    CAF_CHECK(!run([&] { return owner.socket->broken(); }));
    peer.reset();
    while (!run([&] { return owner.socket->broken(); })) // loopback: at once
      ;
    CAF_CHECK(run([&] { return owner.socket->broken(); })); // asking does not change the answer
    CAF_CHECK_EQUAL(owner.log.get().failures.size(), 0u);
    run([&] { owner.socket->resume_reading(); });
    CAF_CHECK_EQUAL(wait(failed).failures, std::vector<int>{ECONNRESET});
  }

  CAF_TEST(a peer that has only shut down is not broken) {
    open(tcp_pair());
    peer.shutdown_write();
    wait([](auto& x) { return x.ends == 1; });
    CAF_CHECK(!run([&] { return owner.socket->broken(); }));
  }

  CAF_TEST(abort resets the peer while close ends it) {
    open(tcp_pair());
    run([&] { std::exchange(owner.socket, nullptr)->abort(); });
    CAF_CHECK_EQUAL(peer.wait_for_end(), ECONNRESET);
    open(tcp_pair());
    owner.close(loop);
    CAF_CHECK_EQUAL(peer.wait_for_end(), 0);
  }

  CAF_TEST(an exception in any callback is caught and reported) {
    owner.data_hook = owner.end_hook = [] { throw std::runtime_error{"data or end"}; };
    open(unix_pair());
    peer.send("x");
    wait([](auto& x) { return x.exceptions == 1; });
    peer.shutdown_write();
    wait([](auto& x) { return x.exceptions == 2; });
    owner.drained_hook = [] { throw 1; };
    run([&] { owner.socket->write(std::string(2'000'000, 'x')); });
    peer.receive(2'000'000);
    wait([](auto& x) { return x.exceptions == 3; });
    owner.failed_hook = [] { throw std::string{"failed"}; };
    peer.close();
    run([&] { owner.socket->write("x"); });
    wait([](auto& x) { return x.exceptions == 4; });
  }

  CAF_TEST(a socket may be closed in the report of an exception) {
    owner.data_hook = [] { throw 1; };
    owner.exception_hook = [&] { owner.close_now(); };
    open(unix_pair());
    peer.send("x");
    CAF_CHECK_EQUAL(peer.wait_for_end(), 0);
  }

  CAF_TEST(a socket may be closed inside of each callback) {
    enum class in { data, end, drained, failed };
    for (const auto where : {in::data, in::end, in::drained, in::failed}) {
      owner.data_hook = owner.end_hook = owner.drained_hook = owner.failed_hook = nullptr;
      auto close = [&] { owner.close_now(); };
      switch (where) {
        case in::data: owner.data_hook = close; break;
        case in::end: owner.end_hook = close; break;
        case in::drained: owner.drained_hook = close; break;
        case in::failed: owner.failed_hook = close; break;
      }
      open(tcp_pair());
      switch (where) {
        case in::data: peer.send("x"); break;
        case in::end: peer.shutdown_write(); break;
        case in::drained:
          run([&] { owner.socket->write(std::string(8'000'000, 'x')); });
          peer.receive(8'000'000);
          break;
        case in::failed: peer.reset(); break;
      }
      if (where != in::failed)
        peer.wait_for_end();
      wait_for_no_sockets(loop);
      CAF_CHECK(run([&] { return owner.socket == nullptr; }));
    }
  }

  CAF_TEST(a socket may be closed and freed while a write waits) {
    open(tcp_pair());
    run([&] {
      owner.socket->write(std::string(20'000'000, 'x'));
      owner.close_now();
    });
    wait_for_no_sockets(loop);
    open(tcp_pair());
    run([&] { owner.socket->write(std::string(20'000'000, 'x')); });
    run([&] { owner.close_now(); }); // now that epoll knows of the wish to write
    wait_for_no_sockets(loop);
  }

  CAF_TEST(a socket closed in the job that opened it leaves nothing) {
    const auto before = open_descriptors();
    for (int i = 0; i < 100; ++i) {
      auto link = unix_pair();
      run([&, raw = link.ours.release()] { stream_socket::open(loop, raw, owner)->close(); });
      CAF_CHECK_EQUAL(link.peer.wait_for_end(), 0);
    }
    wait_for_no_sockets(loop);
    CAF_CHECK_EQUAL(open_descriptors(), before);
  }

  CAF_TEST(sockets close each other within one round of events) {
    // Both are readable in the same round; whoever comes first closes the other one.
    for (int i = 0; i < 200; ++i) {
      recording_owner other;
      auto link = unix_pair();
      auto other_link = unix_pair();
      link.peer.send("x");
      other_link.peer.send("x");
      owner.data_hook = [&] { other.close_now(); };
      other.data_hook = [&] { owner.close_now(); };
      run([&, one = link.ours.release(), two = other_link.ours.release()] {
        owner.socket = stream_socket::open(loop, one, owner);
        other.socket = stream_socket::open(loop, two, other);
      });
      const auto first_closed = [&] { return run([&] { return !owner.socket || !other.socket; }); };
      while (!first_closed())
        ;
      owner.close(loop);
      other.close(loop);
    }
    CAF_CHECK_EQUAL(loop.stats().sockets, 0u);
  }

  CAF_TEST(a peer that resets at any point leaves nothing behind) {
    std::mt19937 random{test_seed()};
    const auto before = open_descriptors();
    size_t echoed = 0; // on the loop only, while a socket is open
    owner.data_hook = [&] {
      const auto all = owner.log.get().received.size();
      owner.socket->write(std::string(all - std::exchange(echoed, all), 'y'));
    };
    owner.end_hook = owner.failed_hook = [&] { owner.close_now(); };
    for (int i = 0; i < 300; ++i) {
      owner.log.change([](stream_log& x) { x = {}; });
      echoed = 0;
      open(tcp_pair());
      const auto sent = random() % 4 == 0 ? 0 : random() % 400'000;
      try {
        peer.send(std::string(sent, 'x'));
        if (random() % 2)
          peer.receive(random() % (sent + 1));
        if (random() % 4 == 0)
          run([&] {
            if (owner.socket)
              owner.socket->pause_reading();
          });
      } catch (const std::system_error&) { // the socket was closed while we sent
      }
      peer.reset();
      // Paused ones learn it from the next write.
      while (run([&] {
        if (owner.socket)
          owner.socket->write("z");
        return owner.socket != nullptr;
      }))
        ;
      CAF_REQUIRE(owner.log.get().failures.size() + static_cast<size_t>(owner.log.get().ends) >= 1);
      CAF_REQUIRE(owner.log.get().failures.size() <= 1);
    }
    wait_for_no_sockets(loop);
    CAF_CHECK_EQUAL(open_descriptors(), before);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

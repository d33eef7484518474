#define CAF_SUITE loop_actor
#include "caf_app/loop/loop_actor.hpp"

#include <string>
#include <utility>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::test;

namespace {

/// Answers any text with the kernel id of the thread that handled it.
class where : public loop_actor<> {
public:
  using loop_actor<>::loop_actor;

  caf::behavior make_behavior() override {
    first_slice = ::gettid();
    return {
        [](const std::string& text) { return std::make_pair(text, static_cast<int>(::gettid())); },
        [this](caf::tick_atom) { return first_slice; },
        [this](caf::put_atom) { delayed_send(this, 1ms, caf::flush_atom_v); },
        [this](caf::flush_atom) { delayed = ::gettid(); },
        [this](caf::get_atom) { return delayed; },
        [this](caf::spawn_atom) {
          const auto child = spawn([](caf::event_based_actor* self) -> caf::behavior {
            return {[self](caf::tick_atom) {
              self->quit();
              return static_cast<int>(::gettid());
            }};
          });
          return delegate(child, caf::tick_atom_v);
        },
        [](caf::delete_atom) { throw std::runtime_error{"a handler failed"}; },
    };
  }

  int first_slice = 0;
  int delayed = 0;
};

using adder = caf::typed_actor<caf::replies_to<int, int>::with<int>>;

class typed : public loop_actor<adder::base> {
public:
  using loop_actor<adder::base>::loop_actor;

  behavior_type make_behavior() override {
    return {[this](int a, int b) { return loop()->on_this_thread() ? a + b : -1; }};
  }
};

/// Forwards a number to all actors that it knows; counts what it gets.
class member : public loop_actor<> {
public:
  member(caf::actor_config& cfg, event_loop* loop, watched<size_t>& total)
      : loop_actor<>(cfg, loop), total_(total) {}

  caf::behavior make_behavior() override {
    return {
        [this](const std::vector<caf::actor>& others) {
          for (const auto& other : others)
            send(other, caf::ok_atom_v);
        },
        [this](caf::ok_atom) { total_.change([](size_t& n) { ++n; }); },
    };
  }

private:
  watched<size_t>& total_;
};

/// Owns a socket, as a connection actor does.
class socket_keeper : public loop_actor<>, public stream_owner {
public:
  socket_keeper(caf::actor_config& cfg, event_loop* loop, int fd, watched<stream_log>& log)
      : loop_actor<>(cfg, loop), fd_(fd), log_(log) {}

  caf::behavior make_behavior() override {
    socket_ = stream_socket::open(*loop(), std::exchange(fd_, -1), *this);
    return {
        [this](const std::string& text) { socket_->write(text); },
        [this](caf::put_atom) { socket_->pause_reading(); },
        [this](caf::flush_atom) { socket_->shutdown_write(); },
        [](caf::ok_atom) { return caf::ok_atom_v; },
    };
  }

  void on_exit() override {
    if (socket_)
      std::exchange(socket_, nullptr)->close();
    else if (fd_ >= 0)
      ::close(fd_);
  }

  void on_data(std::span<const char> bytes) override {
    log_.change([&](stream_log& x) { x.received.append(bytes.data(), bytes.size()); });
  }
  void on_end() override {
    log_.change([](stream_log& x) { ++x.ends; });
  }
  void on_drained() override {
    log_.change([](stream_log& x) { ++x.drained; });
  }
  void on_failed(int error) override {
    log_.change([&](stream_log& x) { x.failures.push_back(error); });
  }
  void on_exception() override {
    log_.change([](stream_log& x) { ++x.exceptions; });
  }

private:
  int fd_;
  stream_socket* socket_ = nullptr;
  watched<stream_log>& log_;
};

struct fixture : loop_fixture {
  template <class Result, class Handle, class... Ts>
  Result ask(const Handle& target, Ts&&... xs) {
    Result result{};
    self->request(target, patience, std::forward<Ts>(xs)...)
        .receive([&](Result& x) { result = std::move(x); },
                 [&](caf::error& err) { CAF_FAIL(sys.render(err)); });
    return result;
  }

  caf::error reason_of(const caf::actor& target) {
    self->monitor(target);
    caf::error result;
    bool came = false;
    self->receive(
        [&](caf::down_msg& down) {
          came = true;
          result = std::move(down.reason);
        },
        caf::after(patience) >> [] {});
    CAF_REQUIRE(came);
    return result;
  }

  using place = std::pair<std::string, int>;

  caf::scoped_actor self{sys};
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(loop_actor_tests, fixture)

  CAF_TEST(every handler runs on the thread of the loop) {
    const auto testee = spawn_on<where>(sys, &loop);
    CAF_CHECK_EQUAL(ask<int>(testee, caf::tick_atom_v), loop.tid());
    CAF_CHECK_EQUAL(ask<place>(testee, "from a thread"), place("from a thread", loop.tid()));
    const auto relay = sys.spawn([testee](caf::event_based_actor* self) -> caf::behavior {
      return {[=](std::string& text) { return self->delegate(testee, std::move(text)); }};
    });
    CAF_CHECK_EQUAL(ask<place>(relay, "from a worker"), place("from a worker", loop.tid()));
    self->send_exit(testee, caf::exit_reason::user_shutdown);
    self->send_exit(relay, caf::exit_reason::user_shutdown);
  }

  CAF_TEST(delayed messages come back to the loop) {
    const auto testee = spawn_on<where>(sys, &loop);
    self->send(testee, caf::put_atom_v);
    int tid = 0;
    while (tid == 0)
      tid = ask<int>(testee, caf::get_atom_v);
    CAF_CHECK_EQUAL(tid, loop.tid());
    self->send_exit(testee, caf::exit_reason::user_shutdown);
  }

  CAF_TEST(without a loop it is an ordinary scheduled actor) {
    const auto testee = sys.spawn<where>(nullptr);
    CAF_CHECK(ask<place>(testee, "x").second != loop.tid());
    self->send_exit(testee, caf::exit_reason::user_shutdown);
  }

  CAF_TEST(typed actors may be pinned too) {
    const auto testee = spawn_on<typed>(sys, &loop);
    CAF_CHECK_EQUAL(ask<int>(testee, 2, 3), 5);
    self->send_exit(testee, caf::exit_reason::user_shutdown);
  }

  CAF_TEST(actors that a loop actor spawns are scheduled unless told otherwise) {
    const auto testee = spawn_on<where>(sys, &loop);
    const auto child_tid = ask<int>(testee, caf::spawn_atom_v);
    CAF_CHECK(child_tid != 0);
    CAF_CHECK(child_tid != loop.tid());
    self->send_exit(testee, caf::exit_reason::user_shutdown);
  }

  CAF_TEST(ends are told with their reason) {
    const auto killed = spawn_on<where>(sys, &loop);
    self->send_exit(killed, caf::exit_reason::kill); // perhaps before its first slice
    CAF_CHECK_EQUAL(reason_of(killed), caf::exit_reason::kill);
    const auto failed = spawn_on<where>(sys, &loop);
    self->send(failed, caf::delete_atom_v);
    CAF_CHECK_EQUAL(reason_of(failed), caf::sec::runtime_error);
  }

  CAF_TEST(two loops whose actors all write to each other do not lock up) {
    constexpr size_t count = 20'000;
    event_loop other{sys, {1, {}}};
    watched<size_t> total;
    std::vector<caf::actor> here, there;
    for (size_t i = 0; i < count; ++i) {
      here.push_back(spawn_on<member>(sys, &loop, total));
      there.push_back(spawn_on<member>(sys, &other, total));
    }
    self->send(here.front(), there); // each loop wakes 20,000 idle actors of the other one
    self->send(there.front(), here);
    total.wait([](size_t n) { return n == 2 * count; });
    for (size_t i = 0; i < count; ++i) {
      caf::anon_send_exit(here[i], caf::exit_reason::user_shutdown);
      caf::anon_send_exit(there[i], caf::exit_reason::user_shutdown);
    }
    here.clear();
    there.clear();
    sys.registry().await_running_count_equal(1); // ours
  }

  CAF_TEST(a loop is destroyed after its actors and runs their last messages) {
    watched<size_t> total;
    {
      event_loop other{sys, {1, {}}};
      for (size_t i = 0; i < 1'000; ++i) {
        const auto x = spawn_on<member>(sys, &other, total);
        self->send(x, caf::ok_atom_v);
        self->send_exit(x, caf::exit_reason::user_shutdown);
      }
      sys.registry().await_running_count_equal(1);
    }
    CAF_CHECK_EQUAL(total.get(), 1'000u);
  }

  CAF_TEST(a killed actor takes its socket along in every phase) {
    enum class phase {
      unborn,
      fresh,
      reading,
      paused,
      writing,
      half_closed,
      closing,
      ended,
      failed
    };
    const auto before = open_descriptors();
    for (const auto now :
         {phase::unborn, phase::fresh, phase::reading, phase::paused, phase::writing,
          phase::half_closed, phase::closing, phase::ended, phase::failed}) {
      watched<stream_log> log;
      auto link = tcp_pair();
      const auto testee = spawn_on<socket_keeper>(sys, &loop, link.ours.release(), log);
      const std::string flood(20'000'000, 'x');
      const auto reached = [&] {
        self->request(testee, patience, caf::ok_atom_v)
            .receive([](caf::ok_atom) {}, [&](caf::error& err) { CAF_FAIL(sys.render(err)); });
      };
      switch (now) {
        case phase::unborn: break;
        case phase::fresh: reached(); break;
        case phase::reading:
          link.peer.send("x");
          log.wait([](auto& x) { return x.received == "x"; });
          link.peer.send("more");
          break;
        case phase::paused:
          self->send(testee, caf::put_atom_v);
          link.peer.send("unread");
          reached();
          break;
        case phase::writing:
          self->send(testee, flood);
          reached();
          break;
        case phase::half_closed:
          self->send(testee, caf::flush_atom_v);
          CAF_CHECK_EQUAL(link.peer.wait_for_end(), 0);
          break;
        case phase::closing:
          self->send(testee, flood);
          self->send(testee, caf::flush_atom_v);
          reached();
          break;
        case phase::ended:
          link.peer.shutdown_write();
          log.wait([](auto& x) { return x.ends == 1; });
          break;
        case phase::failed:
          link.peer.reset();
          log.wait([](auto& x) { return x.failures.size() == 1; });
          break;
      }
      self->send_exit(testee, caf::exit_reason::kill);
      CAF_CHECK_EQUAL(reason_of(testee), caf::exit_reason::kill);
      wait_for_no_sockets(loop);
      if (now != phase::failed)
        link.peer.wait_for_end();
      CAF_CHECK_EQUAL(log.get().exceptions, 0);
    }
    CAF_CHECK_EQUAL(open_descriptors(), before);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

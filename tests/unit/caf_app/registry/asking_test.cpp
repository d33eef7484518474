#define CAF_SUITE asking
#include "caf_app/registry/asking.hpp"

#include <memory>
#include <string>
#include <vector>

#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using caf_app::app_actor;
using caf_app::errc;

namespace {

/// What came of the asks of a client, in order: "=42", or the code of the error.
using outcomes = std::shared_ptr<std::vector<std::string>>;

caf::behavior doubler(app_actor*) {
  return {[](int x) { return 2 * x; }};
}

/// Answers an int when it gets a tick, and takes the promise to its grave if it ends before.
struct slow_state {
  slow_state() = default;
  std::vector<caf::response_promise> promises;
};

caf::behavior slow(caf::stateful_actor<slow_state, app_actor>* self) {
  return {
      [self](int) { self->state.promises.push_back(self->make_response_promise()); },
      [self](caf::tick_atom) {
        for (auto& promise : self->state.promises)
          promise.deliver(7);
        self->state.promises.clear();
      },
  };
}

struct fixture : actor_fixture {
  outcomes results = std::make_shared<std::vector<std::string>>();

  ~fixture() override {
    for (const auto& x : slow_ones) // promises hold their actor
      end(x, caf::exit_reason::kill);
  }

  std::vector<caf::actor> slow_ones;

  caf::actor spawn_slow() { return slow_ones.emplace_back(sys.spawn(slow)); }

  /// Runs `body` inside of a fresh client.
  template <class F>
  caf::actor client(F body) {
    auto result = sys.spawn([body](app_actor* self) -> caf::behavior {
      body(self);
      return {[](caf::tick_atom) {}};
    });
    consume_messages();
    return result;
  }

  template <class Handle>
  auto asks(Handle target, std::chrono::milliseconds timeout) {
    return [=, out = results](app_actor* self) { ask(self, target, timeout, out); };
  }

  template <class Self, class Handle>
  static void ask(Self* self, Handle target, std::chrono::milliseconds timeout, outcomes out) {
    self->ask(target, timeout, 21)
        .then([out](int x) { out->push_back("=" + std::to_string(x)); },
              [out](caf::error& err) { out->push_back(text_of(err)); });
  }

  static std::string text_of(const caf::error& err) {
    const auto code = caf_app::code_of(err);
    return code != errc{} ? to_string(code) : caf::to_string(err);
  }

  void check(std::vector<std::string> expected) { CAF_CHECK_EQUAL(*results, expected); }
  void check(errc expected) { check(std::vector{to_string(expected)}); }

  size_t pending(const caf::actor& client) { return deref<app_actor>(client).pending_asks(); }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(asking_tests, fixture)

  CAF_TEST(a reply reaches its asker) {
    auto asker = client(asks(sys.spawn(doubler), 1s));
    check({"=42"});
    CAF_CHECK_EQUAL(pending(asker), 0u);
  }

  CAF_TEST(a stateful actor and a typed actor can ask) {
    using typed = caf::typed_actor<caf::replies_to<int>::with<int>>;
    auto target = sys.spawn(doubler);
    auto relay = sys.spawn([target](caf_app::asking<typed::base>* self) -> typed::behavior_type {
      return {[=](int x) {
        auto promise = self->make_response_promise<int>();
        self->ask(target, 1s, x)
            .then([promise](int y) mutable { promise.deliver(y + 1); },
                  [promise](caf::error& err) mutable { promise.deliver(err); });
        return promise;
      }};
    });
    client(asks(relay, 1s));
    check({"=43"});
  }

  CAF_TEST(a target that ended before is noproc) {
    auto target = sys.spawn(doubler);
    end(target, caf::exit_reason::kill);
    client(asks(target, 1s));
    check(errc::noproc);
  }

  CAF_TEST(a null handle is noproc) {
    client(asks(caf::actor{}, 1s));
    check(errc::noproc);
  }

  CAF_TEST(a target that ends after it took the message has failed) {
    auto target = sys.spawn(doubler);
    consume_messages();
    auto asker =
        sys.spawn([target, out = results](app_actor* self) { ask(self, target, 1s, out); });
    caf::anon_send_exit(target, caf::exit_reason::kill);
    CAF_REQUIRE(sched.prioritize(asker));
    sched.run_once(); // the request is in the mailbox, behind the exit message
    consume_messages();
    check(errc::target_failed);
  }

  CAF_TEST(a target that drops its promise times out) {
    auto target = spawn_slow();
    client(asks(target, 10ms));
    end(target, caf::exit_reason::kill);
    check(std::vector<std::string>{});
    pass(9ms);
    check(std::vector<std::string>{});
    pass(1ms);
    check(errc::timed_out);
  }

  CAF_TEST(a lost link keeps its code) {
    auto target = sys.spawn([](app_actor*) -> caf::behavior {
      return {[](int) -> caf::result<int> { return caf::make_error(errc::link_lost); }};
    });
    client(asks(target, 1s));
    check(errc::link_lost);
  }

  CAF_TEST(an actor that ended with its link is a lost link) {
    auto target = sys.spawn(doubler);
    end(target, caf::make_error(errc::link_lost));
    client(asks(target, 1s));
    check(errc::link_lost);
  }

  CAF_TEST(an error of the target passes through with its text) {
    auto target = sys.spawn([](app_actor*) -> caf::behavior {
      return {[](int) -> caf::result<int> {
        return caf::make_error(errc::denied, std::string{"not you"});
      }};
    });
    auto text = std::make_shared<std::string>();
    client([=](app_actor* self) {
      self->ask(target, 1s, 1)
          .then([](int) {}, [=](caf::error& err) { *text = caf_app::describe(err); });
    });
    CAF_CHECK_EQUAL(*text, "permission denied: not you");
  }

  CAF_TEST(a request that the target does not handle is unhandled and ends nobody) {
    auto target = sys.spawn([](app_actor*) -> caf::behavior { return {[](caf::tick_atom) {}}; });
    auto asker = client(asks(target, 1s));
    check(errc::unhandled_message);
    CAF_CHECK(is_alive(target));
    CAF_CHECK(is_alive(asker));
  }

  CAF_TEST(a reply of another type is unexpected) {
    auto target = sys.spawn(
        [](app_actor*) -> caf::behavior { return {[](int) { return std::string{"text"}; }}; });
    client(asks(target, 1s));
    check(errc::unexpected_reply);
  }

  CAF_TEST(a handler without arguments takes an empty reply only) {
    auto target = sys.spawn([](app_actor*) -> caf::behavior { return {[](int) {}}; });
    auto out = results;
    for (const auto& to : {target, sys.spawn(doubler)})
      client([=](app_actor* self) {
        self->ask(to, 1s, 1).then([=] { out->push_back("done"); },
                                  [=](caf::error& err) { out->push_back(text_of(err)); });
      });
    check({"done", to_string(errc::unexpected_reply)});
  }

  CAF_TEST(a handler of a whole message takes any reply) {
    auto out = results;
    auto target = sys.spawn(doubler);
    client([=](app_actor* self) {
      self->ask(target, 1s, 4)
          .then([=](caf::message x) { out->push_back(caf::to_string(x)); }, [](caf::error&) {});
    });
    check({"(8)"});
  }

  CAF_TEST(a late reply is counted and dropped) {
    auto target = spawn_slow();
    client(asks(target, 5ms));
    pass(5ms);
    check(errc::timed_out);
    CAF_CHECK_EQUAL(hooks().ask_timeouts.value(), 1u);
    caf::anon_send(target, caf::tick_atom_v);
    consume_messages();
    check(errc::timed_out);
    CAF_CHECK_EQUAL(hooks().late_replies.value(), 1u);
  }

  CAF_TEST(a timeout of zero or less fails) {
    client(asks(spawn_slow(), 0ms));
    client(asks(spawn_slow(), -5ms));
    advance_time(0ms);
    consume_messages();
    check(std::vector(2, to_string(errc::timed_out)));
  }

  CAF_TEST(asks with mixed deadlines expire at their own) {
    auto target = spawn_slow();
    auto out = results;
    client([=](app_actor* self) {
      for (auto timeout : {30, 10, 20, 10})
        self->ask(target, std::chrono::milliseconds{timeout}, 1)
            .then([](int) {}, [=](caf::error&) { out->push_back(std::to_string(timeout)); });
    });
    pass(9ms);
    check(std::vector<std::string>{});
    pass(1ms);
    check({"10", "10"});
    pass(10ms);
    check({"10", "10", "20"});
    pass(10ms);
    check({"10", "10", "20", "30"});
    CAF_CHECK(!sched.has_pending_timeout());
  }

  CAF_TEST(however many asks wait there is one timer) {
    auto target = spawn_slow();
    client([=](app_actor* self) {
      for (int i = 0; i < 100; ++i)
        self->ask(target, std::chrono::milliseconds{1000 - i}, 1)
            .then([](int) {}, [](caf::error&) {});
    });
    CAF_CHECK_EQUAL(sched.clock().schedule().size(), 1u);
  }

  CAF_TEST(a client that ended leaves no timer behind) {
    auto asker = client(asks(spawn_slow(), 1h));
    CAF_CHECK(sched.has_pending_timeout());
    end(asker, caf::exit_reason::kill);
    CAF_CHECK(!sched.has_pending_timeout());
  }

  CAF_TEST(an actor without a behavior lives until its asks are done) {
    auto target = spawn_slow();
    auto out = results;
    auto asker = sys.spawn([=](app_actor* self) { ask(self, target, 10ms, out); });
    consume_messages();
    CAF_CHECK(is_alive(asker));
    pass(10ms);
    check(errc::timed_out);
    CAF_CHECK(!is_alive(asker));
  }

  CAF_TEST(a handler may ask again and may quit) {
    auto target = sys.spawn(doubler);
    auto out = results;
    auto asker = client([=](app_actor* self) {
      self->ask(target, 1s, 1)
          .then(
              [=](int x) {
                self->ask(target, 1s, x)
                    .then(
                        [=](int y) {
                          out->push_back(std::to_string(y));
                          self->quit();
                        },
                        [](caf::error&) {});
              },
              [](caf::error&) {});
    });
    check({"4"});
    CAF_CHECK(!is_alive(asker));
  }

  CAF_TEST(quitting in an error handler drops the other asks) {
    auto target = spawn_slow();
    auto out = results;
    auto asker = client([=](app_actor* self) {
      for (int i = 0; i < 3; ++i)
        self->ask(target, 5ms, i)
            .then([](int) {},
                  [=](caf::error&) {
                    out->push_back("failed");
                    self->quit();
                  });
    });
    pass(5ms);
    check({"failed"});
    CAF_CHECK(!is_alive(asker));
  }

  CAF_TEST(handlers are destroyed with their actor) {
    auto token = std::make_shared<int>(1);
    auto target = spawn_slow();
    auto asker = client([=](app_actor* self) {
      self->ask(target, 1h, 1).then([token](int) {}, [token](caf::error&) {});
    });
    end(asker, caf::exit_reason::user_shutdown);
    asker = nullptr;
    end(target, caf::exit_reason::user_shutdown);
    target = nullptr;
    CAF_CHECK_EQUAL(token.use_count(), 1);
  }

  CAF_TEST(large captures work as small ones do) {
    auto target = sys.spawn(doubler);
    auto out = results;
    std::array<char, 200> big{};
    big[199] = 'x';
    client([=](app_actor* self) {
      self->ask(target, 1s, 1)
          .then([=](int) { out->push_back(std::string(1, big[199])); }, [](caf::error&) {});
    });
    check({"x"});
  }

  CAF_TEST(the requests of CAF still work beside ask) {
    auto target = sys.spawn(doubler);
    auto out = results;
    client([=](app_actor* self) {
      self->request(target, 1s, 5).then([=](int x) { out->push_back(std::to_string(x)); });
      ask(self, target, 1s, out);
    });
    check({"10", "=42"});
    CAF_CHECK_EQUAL(hooks().late_replies.value(), 0u);
  }

  CAF_TEST(ten thousand asks leave nothing behind) {
    auto target = sys.spawn(doubler);
    auto count = std::make_shared<int>(0);
    auto asker = client([=](app_actor* self) {
      for (int i = 0; i < 10'000; ++i)
        self->ask(target, 1h, i).then([=](int) { ++*count; }, [](caf::error&) {});
    });
    CAF_CHECK_EQUAL(*count, 10'000);
    CAF_CHECK_EQUAL(pending(asker), 0u);
    CAF_CHECK_EQUAL(sched.clock().schedule().size(), 1u);
  }

  CAF_TEST(a target that takes the promise to its grave is noticed at once) {
    const auto target = spawn_slow();
    auto asker = client(asks(target, 10s));
    pass(caf_app::limits::registry::target_check); // from now on it is watched
    slow_ones.clear();
    end(target, caf::exit_reason::user_shutdown);
    check(errc::target_failed);
    CAF_CHECK_EQUAL(pending(asker), 0u);
    CAF_CHECK_EQUAL(deref<app_actor>(asker).watch_count(), 0u);
  }

  CAF_TEST(a target that ends before it is watched is noticed by then) {
    const auto target = spawn_slow();
    auto asker = client(asks(target, 10s));
    slow_ones.clear();
    end(target, caf::exit_reason::user_shutdown);
    check(std::vector<std::string>{});
    pass(caf_app::limits::registry::target_check);
    check(errc::target_failed);
    CAF_CHECK_EQUAL(pending(asker), 0u);
  }

  CAF_TEST(an answered ask leaves no watch) {
    const auto target = spawn_slow();
    auto asker = client(asks(target, 10s));
    pass(150ms);
    CAF_CHECK_EQUAL(deref<app_actor>(asker).watch_count(), 1u);
    caf::anon_send(target, caf::tick_atom_v);
    pass(100ms);
    check({"=7"});
    CAF_CHECK_EQUAL(deref<app_actor>(asker).watch_count(), 0u);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

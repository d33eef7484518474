// Requests that come twice, and asks that are repeated until somebody answers.
#define CAF_SUITE keyed_answers
#include "caf_app/registry/keyed_answers.hpp"

#include "caf_app/registry/asking.hpp"
#include "caf_app/registry/idempotent_ask.hpp"
#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using caf_app::app_actor;
using caf_app::errc;
using caf_app::request_key;

namespace {

using texts = std::shared_ptr<std::vector<std::string>>;

struct counter_state {
  counter_state() = default;
  int count = 0;
  std::vector<caf::response_promise> open;
};

/// Answers how often it has worked; "hold" only when it gets a tick.
caf::behavior counter(caf::stateful_actor<counter_state, app_actor>* self) {
  return {[self](int) { return ++self->state.count; },
          [self](const std::string&) {
            ++self->state.count;
            self->state.open.push_back(self->make_response_promise());
          },
          [self](caf::put_atom) -> caf::result<int> {
            ++self->state.count;
            return caf::make_error(errc::conflict);
          },
          [self](caf::tick_atom) {
            for (auto& x : self->state.open)
              x.deliver(self->state.count);
            self->state.open.clear();
          }};
}

struct fixture : actor_fixture {
  texts heard = std::make_shared<std::vector<std::string>>();
  std::shared_ptr<caf_app::registry> names = caf_app::registry::make();
  std::vector<caf::actor> actors;

  ~fixture() override {
    for (const auto& x : actors)
      end(x, caf::exit_reason::kill);
  }

  caf::actor spawn_counter() { return actors.emplace_back(sys.spawn(counter)); }

  template <class F>
  caf::actor client(F body) {
    auto result = sys.spawn([body](app_actor* self) -> caf::behavior {
      body(self);
      return {[](caf::tick_atom) {}};
    });
    actors.push_back(result);
    consume_messages();
    return result;
  }

  template <class... Ts>
  void ask_keyed(const caf::actor& target, uint64_t number, Ts... xs) {
    client([=, out = heard](app_actor* self) {
      self->ask(target, 1s, request_key{1, number, 1000}, xs...)
          .then([out](int x) { out->push_back("=" + std::to_string(x)); },
                [out](caf::error& why) { out->push_back(to_string(caf_app::code_of(why))); });
    });
  }

  void ask_repeated(std::chrono::milliseconds timeout) {
    client([=, out = heard, book = names](app_actor* self) {
      caf_app::ask_idempotent(
          self, book, "counter", timeout, caf::make_message(1),
          [out](caf::message& x) { out->push_back("=" + std::to_string(x.get_as<int>(0))); },
          [out](caf::error& why) { out->push_back(to_string(caf_app::code_of(why))); });
    });
  }

  void check(std::vector<std::string> expected) { CAF_CHECK_EQUAL(*heard, expected); }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(keyed_answers_tests, fixture)

  CAF_TEST(a request that comes twice is worked on once) {
    const auto target = spawn_counter();
    ask_keyed(target, 1, 0);
    ask_keyed(target, 1, 0);
    check({"=1", "=1"});
    ask_keyed(target, 2, 0);
    check({"=1", "=1", "=2"});
  }

  CAF_TEST(a repetition waits for the work that is under way) {
    const auto target = spawn_counter();
    ask_keyed(target, 1, std::string{"hold"});
    ask_keyed(target, 1, std::string{"hold"});
    check({});
    caf::anon_send(target, caf::tick_atom_v);
    consume_messages();
    check({"=1", "=1"});
  }

  CAF_TEST(errors are not kept) {
    const auto target = spawn_counter();
    ask_keyed(target, 1, caf::put_atom_v);
    ask_keyed(target, 1, caf::put_atom_v);
    check({to_string(errc::conflict), to_string(errc::conflict)});
    CAF_CHECK_EQUAL((deref<caf::stateful_actor<counter_state, app_actor>>(target).state.count), 2);
  }

  CAF_TEST(an ask is repeated until the name has a holder) {
    ask_repeated(1s);
    pass(300ms);
    check({});
    const auto target = spawn_counter();
    CAF_REQUIRE(names->register_name("counter", target));
    pass(60ms);
    check({"=1"});
  }

  CAF_TEST(an ask is repeated when its target ends) {
    const auto first = sys.spawn([](app_actor*) -> caf::behavior {
      return {[](int) -> caf::result<int> { return caf::make_error(errc::noproc); }};
    });
    CAF_REQUIRE(names->register_name("counter", first));
    ask_repeated(1s);
    pass(120ms);
    check({});
    end(first, caf::exit_reason::user_shutdown);
    const auto target = spawn_counter();
    CAF_REQUIRE(names->register_name("counter", target));
    pass(60ms);
    check({"=1"});
  }

  CAF_TEST(repeating ends at the deadline) {
    ask_repeated(500ms);
    pass(600ms);
    check({to_string(errc::timed_out)});
  }

  CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE registry
#include "caf_app/registry/registry.hpp"

#include <memory>
#include <string>
#include <vector>

#include <caf/forwarding_actor_proxy.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/registry/asking.hpp"
#include "support/actor_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using strings = std::vector<std::string>;

namespace {

caf::behavior idle(app_actor*) {
  return {[](caf::tick_atom) {}};
}

caf::error error_of(const caf::expected<void>& x) { return x ? caf::error{} : x.error(); }

struct fixture : actor_fixture {
  std::shared_ptr<registry> testee = registry::make();
  std::shared_ptr<strings> events = std::make_shared<strings>();

  caf::actor spawn_idle() {
    auto result = sys.spawn(idle);
    consume_messages();
    return result;
  }

  /// Writes down the events that it gets: "added name id".
  caf::actor spawn_subscriber() {
    return sys.spawn([out = events](app_actor*) -> caf::behavior {
      const auto write = [out](registry_change change, const std::string& name,
                               const caf::actor& x) {
        out->push_back(to_string(change) +
                       (x ? " " + name + " " + std::to_string(x.id()) : std::string{}));
      };
      return {
          [write](const name_event& x) { write(x.change, x.name, x.holder); },
          [write](const group_event& x) { write(x.change, x.group, x.member); },
      };
    });
  }

  strings take_events() {
    consume_messages();
    return std::exchange(*events, {});
  }

  static std::string text(const std::string& what, const caf::actor& who) {
    return what + ' ' + std::to_string(who.id());
  }

  ~fixture() override {
    testee = nullptr; // lets go of the actors that a test left
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(registry_tests, fixture)

  CAF_TEST(a name finds its holder) {
    auto holder = spawn_idle();
    CAF_CHECK(testee->register_name("greeter", holder));
    CAF_CHECK_EQUAL(testee->where_is("greeter"), holder);
    CAF_CHECK(!testee->where_is("nobody"));
    CAF_CHECK(testee->unregister_name("greeter"));
    CAF_CHECK(!testee->unregister_name("greeter"));
    CAF_CHECK(!testee->where_is("greeter"));
  }

  CAF_TEST(a name has one holder and a holder many names) {
    auto x = spawn_idle(), y = spawn_idle();
    CAF_CHECK(testee->register_name("a", x));
    CAF_CHECK(testee->register_name("b", x));
    CAF_CHECK(testee->register_name("a", x)); // changes nothing
    CAF_CHECK_EQUAL(error_of(testee->register_name("a", y)), errc::name_taken);
    CAF_CHECK_EQUAL(testee->where_is("a"), x);
    CAF_CHECK_EQUAL(testee->where_is("b"), x);
  }

  CAF_TEST(a dead or null actor gets no name) {
    auto x = spawn_idle();
    end(x, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(error_of(testee->register_name("a", x)), errc::noproc);
    CAF_CHECK_EQUAL(error_of(testee->register_name("a", caf::actor{})), errc::noproc);
    CAF_CHECK(!testee->where_is("a"));
  }

  CAF_TEST(a bad name is refused) {
    auto x = spawn_idle();
    for (const auto& name : {std::string{}, std::string{"a/b"}, std::string(256, 'x')}) {
      CAF_CHECK_EQUAL(error_of(testee->register_name(name, x)), errc::invalid_argument);
      CAF_CHECK_EQUAL(error_of(testee->join(name, x)), errc::invalid_argument);
    }
    CAF_CHECK(testee->register_name(std::string(255, 'x'), x));
  }

  CAF_TEST(names are freed however their holder ends) {
    for (auto reason :
         {caf::error{caf::exit_reason::kill}, caf::error{caf::exit_reason::user_shutdown},
          caf::make_error(errc::handler_failed)}) {
      auto x = spawn_idle();
      CAF_CHECK(testee->register_name("a", x));
      CAF_CHECK(testee->register_name("b", x));
      end(x, reason);
      CAF_CHECK(!testee->where_is("a"));
      CAF_CHECK(testee->register_name("b", spawn_idle()));
      testee->unregister_name("b");
    }
  }

  CAF_TEST(a named actor lives without other references until it is stopped) {
    CAF_CHECK(testee->register_name("a", sys.spawn(idle)));
    consume_messages();
    auto x = testee->where_is("a");
    CAF_CHECK(is_alive(x));
    auto weak = caf::actor_cast<caf::actor_addr>(x);
    x = nullptr;
    testee->unregister_name("a");
    CAF_CHECK(!caf::actor_cast<caf::actor>(weak));
  }

  CAF_TEST(a name that went to another actor is not freed by the end of the first) {
    auto x = spawn_idle(), y = spawn_idle();
    testee->register_name("a", x);
    testee->unregister_name("a");
    testee->register_name("a", y);
    end(x, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(testee->where_is("a"), y);
  }

  CAF_TEST(the list of names tells holder and age) {
    auto x = spawn_idle();
    testee->register_name("b", x);
    pass(5ms);
    testee->register_name("a", x);
    const auto list = testee->names("", sched.clock().now());
    CAF_REQUIRE_EQUAL(list.size(), 2u);
    CAF_CHECK_EQUAL(list[0].name, "a");
    CAF_CHECK_EQUAL(list[0].held_ms, 0u);
    CAF_CHECK_EQUAL(list[1].held_ms, 5u);
    CAF_CHECK_EQUAL(list[1].holder, x.id());
  }

  CAF_TEST(a group is a set of living members) {
    auto x = spawn_idle(), y = spawn_idle();
    CAF_CHECK(testee->join("g", x));
    CAF_CHECK(testee->join("g", x));
    CAF_CHECK(testee->join("g", y));
    CAF_CHECK_EQUAL(testee->members("g").size(), 2u);
    end(x, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(testee->members("g"), std::vector{y});
    CAF_CHECK(testee->leave("g", y));
    CAF_CHECK(!testee->leave("g", y));
    CAF_CHECK(testee->groups("").empty());
    CAF_CHECK_EQUAL(error_of(testee->join("g", x)), errc::noproc);
  }

  CAF_TEST(a message reaches all members once and is not copied) {
    std::vector<const void*> seen;
    for (int i = 0; i < 100; ++i)
      testee->join("g", sys.spawn([&seen](app_actor*) -> caf::behavior {
        return {[&seen](const std::string& x) { seen.push_back(&x); }};
      }));
    CAF_CHECK_EQUAL(testee->publish("g", caf::make_message(std::string{"hello"})), 100u);
    CAF_CHECK_EQUAL(testee->publish("nobody", caf::make_message(1)), 0u);
    consume_messages();
    CAF_REQUIRE_EQUAL(seen.size(), 100u);
    for (const auto* x : seen)
      CAF_CHECK_EQUAL(x, seen.front());
  }

  CAF_TEST(a member without a handler never hurts the publisher) {
    testee->join("g", sys.spawn([](caf::event_based_actor*) -> caf::behavior {
      return {[](caf::tick_atom) {}}; // not even hardened
    }));
    auto publisher = sys.spawn([table = testee](caf::event_based_actor* me) -> caf::behavior {
      return {
          [=](int) { table->publish("g", caf::make_message(std::string{"what"}), me->context()); }};
    });
    caf::anon_send(publisher, 1);
    consume_messages();
    CAF_CHECK(is_alive(publisher));
  }

  CAF_TEST(members may leave while a message is on its way) {
    auto x = spawn_idle();
    std::vector<caf::actor> others;
    for (int i = 0; i < 10; ++i) {
      others.push_back(spawn_idle());
      testee->join("g", others.back());
    }
    testee->join("g", x);
    CAF_CHECK_EQUAL(testee->publish("g", caf::make_message(caf::tick_atom_v)), 11u);
    for (const auto& y : others)
      testee->leave("g", y);
    CAF_CHECK_EQUAL(testee->publish("g", caf::make_message(caf::tick_atom_v)), 1u);
    CAF_CHECK_EQUAL(testee->members("g"), std::vector{x});
  }

  CAF_TEST(a subscriber of names gets a snapshot and then every change) {
    auto x = spawn_idle(), y = spawn_idle(), subscriber = spawn_subscriber();
    testee->register_name("a", x);
    CAF_CHECK(testee->subscribe_names(subscriber));
    CAF_CHECK_EQUAL(take_events(), (strings{text("present a", x), "synced"}));
    testee->register_name("b", y);
    testee->unregister_name("a");
    testee->register_name("a", y);
    end(y, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(take_events(),
                    (strings{text("added b", y), text("removed a", x), text("added a", y),
                             text("removed b", y), text("removed a", y)}));
    testee->unsubscribe_names(subscriber);
    testee->register_name("c", x);
    CAF_CHECK_EQUAL(take_events(), strings{});
  }

  CAF_TEST(a subscriber of one name gets nothing else) {
    auto x = spawn_idle(), subscriber = spawn_subscriber();
    testee->register_name("ab", x);
    testee->subscribe_names(subscriber, "a");
    testee->register_name("b", x);
    testee->register_name("a", x);
    CAF_CHECK_EQUAL(take_events(), (strings{"synced", text("added a", x)}));
  }

  CAF_TEST(a subscriber of groups gets a snapshot and then every change) {
    auto x = spawn_idle(), y = spawn_idle(), subscriber = spawn_subscriber();
    testee->join("g", x);
    testee->join("h", x);
    testee->subscribe_groups(subscriber, "g");
    testee->join("g", x); // no change
    testee->join("g", y);
    testee->leave("h", x);
    end(x, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(take_events(), (strings{text("present g", x), "synced", text("added g", y),
                                            text("removed g", x)}));
  }

  CAF_TEST(a member of a former life of a node goes without the one that has its number now) {
    const auto broker = spawn_idle();
    const auto member_of = [&](uint32_t life) {
      caf::actor_config config;
      return caf::make_actor<caf::forwarding_actor_proxy, caf::strong_actor_ptr>(
          7, *caf::make_node_id(life, std::string(40, 'A')), &sys, config, broker);
    };
    const auto before = member_of(1), after = member_of(2);
    testee->subscribe_groups(spawn_subscriber(), "g");
    testee->remote_member("g", "n", before);
    testee->remote_member("g", "n", after);
    testee->remote_member_gone("g", "n", before);
    CAF_CHECK_EQUAL(take_events(), (strings{"synced", "added g 7", "added g 7", "removed g 7"}));
    const auto groups = testee->groups("g");
    CAF_REQUIRE(groups.size() == 1 && groups[0].remote.size() == 1);
    CAF_CHECK_EQUAL(groups[0].remote[0].members, (std::vector<uint64_t>{7}));
    testee->remote_member_gone("g", "n", after);
    CAF_CHECK(testee->groups("g").empty());
  }

  CAF_TEST(a subscriber that ended is forgotten) {
    auto subscriber = spawn_subscriber();
    testee->subscribe_names(subscriber);
    testee->subscribe_groups(subscriber);
    take_events();
    end(subscriber, caf::exit_reason::kill);
    auto weak = caf::actor_cast<caf::actor_addr>(subscriber);
    subscriber = nullptr;
    CAF_CHECK(!caf::actor_cast<caf::actor>(weak));
    CAF_CHECK(testee->register_name("a", spawn_idle()));
  }

  CAF_TEST(actors outlive a registry that is gone) {
    auto x = spawn_idle();
    testee->register_name("a", x);
    testee = nullptr;
    CAF_CHECK(is_alive(x));
    end(x, caf::exit_reason::kill);
    CAF_CHECK(!is_alive(x));
  }

  CAF_TEST_FIXTURE_SCOPE_END()

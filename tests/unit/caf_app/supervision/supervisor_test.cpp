#define CAF_SUITE supervisor
#include "caf_app/supervision/supervisor.hpp"

#include <stdexcept>

#include "support/supervisor_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using strings = std::vector<std::string>;

namespace {

struct fixture : supervisor_fixture {
  /// Watches the root from outside.
  std::shared_ptr<std::vector<caf::error>> watch_root() {
    auto result = std::make_shared<std::vector<caf::error>>();
    auto* observer = &deref<app_actor>(watcher);
    observer->watch(root, [result](const down& x) { result->push_back(x.reason); });
    return result;
  }

  caf::actor watcher =
      sys.spawn([](app_actor*) -> caf::behavior { return {[](caf::tick_atom) {}}; });
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(supervisor_tests, fixture)

  CAF_TEST(children start in order and show in the tree) {
    auto with = options();
    with.children = {child("a"), child("b")};
    start(with);
    CAF_CHECK_EQUAL(take_log(), (strings{"root/a started", "root/b started"}));
    CAF_CHECK(state("root") == tree_state::running);
    CAF_CHECK(state("root/a") == tree_state::running);
    CAF_CHECK_EQUAL(entry("root/b").actor_id, actor("root/b").id());
    CAF_CHECK_EQUAL(entry("root").actor_id, root.id());
  }

  CAF_TEST(strategies and restart types and exit reasons act on real actors) {
    struct row {
      restart_type restart;
      const char* reason;
      bool again;
    };
    const row rows[] = {
        {restart_type::permanent, "normal", true},  {restart_type::permanent, "crash", true},
        {restart_type::transient, "normal", false}, {restart_type::transient, "crash", true},
        {restart_type::temporary, "normal", false}, {restart_type::temporary, "crash", false},
    };
    const std::pair<restart_strategy, std::array<size_t, 3>> strategies[] = {
        {restart_strategy::one_for_one, {1, 2, 1}},
        {restart_strategy::one_for_all, {2, 2, 2}},
        {restart_strategy::rest_for_one, {1, 2, 2}},
    };
    for (const auto& [strategy, if_restarted] : strategies)
      for (const auto& x : rows) {
        CAF_MESSAGE(to_string(strategy) << ", " << to_string(x.restart) << ", " << x.reason);
        born->clear();
        auto with = options(strategy);
        with.children = {child("a"), child("b", x.restart), child("c")};
        start(with);
        tell("root/b", x.reason);
        const auto expected = x.again ? if_restarted : std::array<size_t, 3>{1, 1, 1};
        CAF_CHECK_EQUAL(starts("root/a"), expected[0]);
        CAF_CHECK_EQUAL(starts("root/b"), expected[1]);
        CAF_CHECK_EQUAL(starts("root/c"), expected[2]);
        CAF_CHECK_EQUAL(tree->find("root/b").has_value(), x.restart != restart_type::temporary);
        end(root, caf::exit_reason::kill);
        CAF_CHECK_EQUAL(tree->size(), 0u);
      }
  }

  CAF_TEST(a killed child is restarted and counted) {
    auto with = options();
    with.children = {child("a")};
    start(with);
    for (size_t i = 1; i <= 5; ++i) {
      end(actor("root/a"), caf::exit_reason::kill);
      CAF_CHECK_EQUAL(starts("root/a"), i + 1);
      CAF_CHECK_EQUAL(entry("root/a").restarts, i);
      CAF_CHECK(is_alive(actor("root/a")));
    }
  }

CAF_TEST(a transient child that ends before it can be watched is not taken for a crash) {
  auto with = options();
  auto spec = child("a", restart_type::transient);
  spec.start = [](const start_context& context) -> caf::expected<caf::actor> {
    auto result = context.system.spawn(obedient_child);
    auto* actor = caf::actor_cast<caf::abstract_actor*>(result);
    dynamic_cast<app_actor&>(*actor).cleanup(caf::error{}, nullptr); // ended normally
    return result;
  };
  with.children = {std::move(spec)};
  start(with);
  CAF_CHECK(state("root/a") == tree_state::ended);
  CAF_CHECK_EQUAL(entry("root/a").restarts, 0u);
}

CAF_TEST(kills follow intensity and backoff in virtual time) {
  auto with = options();
  with.restart.intensity = 4;
  with.restart.period = 10s;
  with.restart.backoff = {100ms, 400ms, 0, 1, true};
  with.restart.stable_after = 5s;
  with.children = {child("a")};
  start(with);
  const auto downs = watch_root();
  const milliseconds delays[] = {0ms, 100ms, 200ms, 400ms};
  for (size_t i = 0; i < 4; ++i) {
    end(actor("root/a"), caf::exit_reason::kill);
    if (delays[i] > 0ms) {
      CAF_CHECK(state("root/a") == tree_state::restarting);
      pass(delays[i] - 1ms);
      CAF_CHECK_EQUAL(starts("root/a"), i + 1);
      pass(1ms);
    }
    CAF_CHECK_EQUAL(starts("root/a"), i + 2);
    CAF_CHECK(state("root/a") == tree_state::running);
  }
  CAF_CHECK(downs->empty());
  end(actor("root/a"), caf::exit_reason::kill);
  CAF_REQUIRE_EQUAL(downs->size(), 1u);
  CAF_CHECK_EQUAL(downs->front(), errc::too_many_restarts);
  CAF_CHECK_EQUAL(log->back(), "root gave up");
  CAF_CHECK(!is_alive(root));
}

CAF_TEST(a thousand kills leave one child and no timer) {
  auto with = options();
  with.restart.intensity = 1000;
  with.children = {child("a")};
  start(with);
  for (int i = 0; i < 1000; ++i)
    end(actor("root/a"), caf::exit_reason::kill);
  CAF_CHECK_EQUAL(starts("root/a"), 1001u);
  CAF_CHECK_EQUAL(entry("root/a").restarts, 1000u);
  CAF_CHECK(!sched.has_pending_timeout());
  end(actor("root/a"), caf::exit_reason::kill);
  CAF_CHECK(!is_alive(root));
}

CAF_TEST(failed starts count as restarts whatever way they fail) {
  int calls = 0;
  auto with = options();
  with.restart.intensity = 3;
  auto spec = child("a");
  spec.start = [&calls](const start_context&) -> caf::expected<caf::actor> {
    switch (++calls) {
      case 1: return caf::make_error(errc::io_failed);
      case 2: throw std::runtime_error("on purpose");
      case 3: throw 42;
      default: return caf::actor{};
    }
  };
  with.children = {child("b"), std::move(spec)};
  start(with);
  CAF_CHECK_EQUAL(calls, 4);
  CAF_CHECK(!is_alive(root));
  CAF_CHECK_EQUAL(take_ends(), strings{"root/b"});
}

CAF_TEST(escalation passes through two levels) {
  auto inner = options();
  inner.restart.intensity = 1;
  inner.children = {child("x")};
  auto middle = options();
  middle.restart.intensity = 1;
  middle.children = {supervisor_child("inner", inner, 1s)};
  auto with = options();
  with.restart.intensity = 1;
  with.children = {child("a"), supervisor_child("middle", middle, 2s)};
  start(with);
  const auto downs = watch_root();
  const std::string x = "root/middle/inner/x";
  CAF_CHECK(state(x) == tree_state::running);
  for (int kills = 1; kills <= 8; ++kills) {
    CAF_REQUIRE(is_alive(actor(x)));
    CAF_CHECK(downs->empty());
    end(actor(x), caf::exit_reason::kill);
  }
  // 2 kills end inner, 2 inner end middle, 2 middle end root.
  CAF_CHECK_EQUAL(starts(x), 8u);
  CAF_REQUIRE_EQUAL(downs->size(), 1u);
  CAF_CHECK_EQUAL(downs->front(), errc::too_many_restarts);
  const auto ends = take_ends(); // CAF_CHECK keeps references to what it compares
  CAF_CHECK_EQUAL(ends.back(), "root/a");
}

CAF_TEST(children come and go at run time) {
  start(options());
  CAF_CHECK_EQUAL(request_of_root(add_child{std::make_shared<child_spec>(child("a"))}), caf::none);
  CAF_CHECK(state("root/a") == tree_state::running);
  CAF_CHECK_EQUAL(request_of_root(add_child{std::make_shared<child_spec>(child("a"))}),
                  errc::conflict);
  CAF_CHECK_EQUAL(request_of_root(add_child{std::make_shared<child_spec>(child("a/b"))}),
                  errc::invalid_argument);
  CAF_CHECK_EQUAL(request_of_root(remove_child{"b"}), errc::not_found);
  CAF_CHECK_EQUAL(request_of_root(remove_child{"a"}), caf::none);
  CAF_CHECK_EQUAL(take_ends(), strings{"root/a"});
  CAF_CHECK(!tree->find("root/a"));
  CAF_CHECK_EQUAL(starts("root/a"), 1u);
}

CAF_TEST(an adopted actor is shown while it lives and never restarted) {
  start(options());
  auto conn = sys.spawn(obedient_child);
  caf::anon_send(root, adopt_child{"conn-17", conn});
  consume_messages();
  CAF_CHECK_EQUAL(entry("root/conn-17").actor_id, conn.id());
  caf::anon_send(conn, std::string{"crash"});
  consume_messages();
  CAF_CHECK(!tree->find("root/conn-17"));
  CAF_CHECK(is_alive(root));
}

CAF_TEST(an adopted actor that is dead already is forgotten) {
  start(options());
  auto conn = sys.spawn(obedient_child);
  end(conn, caf::exit_reason::kill);
  caf::anon_send(root, adopt_child{"conn-17", conn});
  consume_messages();
  CAF_CHECK(!tree->find("root/conn-17"));
}

CAF_TEST(adopted actors of one id are told apart) {
  start(options());
  auto x = sys.spawn(obedient_child), y = sys.spawn(obedient_child);
  caf::anon_send(root, adopt_child{"conn", x});
  caf::anon_send(root, adopt_child{"conn", y});
  consume_messages();
  CAF_CHECK_EQUAL(entry("root/conn").actor_id, x.id());
  CAF_CHECK_EQUAL(entry("root/conn-" + std::to_string(y.id())).actor_id, y.id());
}

CAF_TEST_FIXTURE_SCOPE_END()

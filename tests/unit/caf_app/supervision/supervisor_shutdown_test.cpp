#define CAF_SUITE supervisor_shutdown
#include "caf_app/supervision/supervisor.hpp"

#include "support/supervisor_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using strings = std::vector<std::string>;

CAF_TEST_FIXTURE_SCOPE(supervisor_shutdown_tests, supervisor_fixture)

  CAF_TEST(a shutdown stops the children in reverse order) {
    auto with = options();
    with.children = {child("a"), child("b"), child("c")};
    start(with);
    end(root, caf::exit_reason::user_shutdown);
    CAF_CHECK_EQUAL(take_ends(), (strings{"root/c", "root/b", "root/a"}));
    CAF_CHECK(!is_alive(root));
    CAF_CHECK_EQUAL(tree->size(), 0u);
  }

  CAF_TEST(an exit with normal is ignored) {
    auto with = options();
    with.children = {child("a")};
    start(with);
    end(root, caf::exit_reason::normal);
    CAF_CHECK(is_alive(root));
    CAF_CHECK(is_alive(actor("root/a")));
  }

  CAF_TEST(adopted actors stop before all others) {
    auto with = options();
    with.children = {child("a"), child("b")};
    start(with);
    for (int i = 0; i < 3; ++i) {
      auto conn = sys.spawn(obedient_child);
      conn->attach_functor([out = ends] { out->push_back("conn"); });
      caf::anon_send(root, adopt_child{"conn-" + std::to_string(i), conn});
    }
    consume_messages();
    end(root, caf::exit_reason::user_shutdown);
    CAF_CHECK_EQUAL(take_ends(), (strings{"conn", "conn", "conn", "root/b", "root/a"}));
    CAF_CHECK(!is_alive(root));
  }

  CAF_TEST(a child that ignores the request is killed after its timeout) {
    auto with = options();
    with.children = {child("a"), child("b", restart_type::permanent, stubborn_child)};
    start(with);
    take_log();
    end(root, caf::exit_reason::user_shutdown);
    CAF_CHECK(state("root/b") == tree_state::stopping);
    pass(99ms);
    CAF_CHECK(is_alive(actor("root/b")));
    CAF_CHECK(is_alive(actor("root/a"))); // waits for its turn
    pass(1ms);
    CAF_CHECK_EQUAL(take_ends(), (strings{"root/b", "root/a"}));
    CAF_CHECK_EQUAL(take_log(),
                    (strings{"root/b ignored the request to end", "root/b ended", "root/a ended"}));
    CAF_CHECK(!is_alive(root));
  }

  CAF_TEST(a shutdown timeout of zero kills at once) {
    auto with = options();
    with.children = {child("a", restart_type::permanent, stubborn_child)};
    with.children[0].shutdown_timeout = 0ms;
    start(with);
    end(root, caf::exit_reason::user_shutdown);
    CAF_CHECK_EQUAL(take_ends(), strings{"root/a"});
    CAF_CHECK(!is_alive(root));
  }

  CAF_TEST(a child that ignores even kill is reported with its path and left behind) {
    // An actor whose handler never returns: it gets messages and does not run.
    struct hung : caf::event_based_actor {
      using caf::event_based_actor::event_based_actor;
      void enqueue(caf::mailbox_element_ptr, caf::execution_unit*) override {}
      caf::behavior make_behavior() override {
        return {[](caf::tick_atom) {}};
      }
    };
    auto with = options();
    with.kill_grace = 50ms;
    with.children = {child("a"), child("b")};
    caf::actor lost;
    with.children[1].start = [&](const start_context& context) -> caf::expected<caf::actor> {
      return lost = context.system.spawn<hung>();
    };
    start(with);
    take_log();
    end(root, caf::exit_reason::user_shutdown);
    pass(100ms);
    CAF_CHECK_EQUAL(take_log(), strings{"root/b ignored the request to end"});
    pass(49ms);
    CAF_CHECK(is_alive(root));
    pass(1ms);
    CAF_CHECK_EQUAL(take_log(), (strings{"root/b ignored kill", "root/b ended", "root/a ended"}));
    CAF_CHECK(!is_alive(root));
    CAF_CHECK(state("root/b") == tree_state::failed); // for the watchdog
    CAF_CHECK(!tree->find("root/a"));
    deref<hung>(lost).cleanup(caf::exit_reason::kill, nullptr);
  }

  CAF_TEST(a child that is killed while it stops does not disturb the order) {
    auto with = options();
    with.children = {child("a"), child("b", restart_type::permanent, stubborn_child)};
    start(with);
    end(root, caf::exit_reason::user_shutdown);
    pass(10ms);
    end(actor("root/b"), caf::exit_reason::kill);
    CAF_CHECK_EQUAL(take_ends(), (strings{"root/b", "root/a"}));
    CAF_CHECK(!is_alive(root));
  }

  CAF_TEST(a child that waits its turn and is killed is not restarted) {
    auto with = options();
    with.children = {child("a"), child("b", restart_type::permanent, stubborn_child)};
    start(with);
    end(root, caf::exit_reason::user_shutdown);
    end(actor("root/a"), caf::exit_reason::kill);
    CAF_CHECK_EQUAL(starts("root/a"), 1u);
    pass(100ms);
    CAF_CHECK_EQUAL(take_ends(), (strings{"root/a", "root/b"}));
    CAF_CHECK(!is_alive(root));
  }

  CAF_TEST(a kill in the middle of a group restart takes all children) {
    auto with = options(restart_strategy::one_for_all);
    with.children = {child("a"), child("b", restart_type::permanent, stubborn_child), child("c")};
    start(with);
    tell("root/a", "crash"); // c stops, then b does not
    CAF_CHECK(state("root/b") == tree_state::stopping);
    end(root, caf::exit_reason::kill);
    CAF_CHECK(!is_alive(actor("root/b")));
    CAF_CHECK_EQUAL(starts("root/a"), 1u);
    CAF_CHECK_EQUAL(tree->size(), 0u);
  }

CAF_TEST(a group restart waits for a stubborn member and goes on) {
  auto with = options(restart_strategy::rest_for_one);
  with.children = {child("a"), child("b"), child("c", restart_type::permanent, stubborn_child)};
  start(with);
  tell("root/b", "crash");
  CAF_CHECK_EQUAL(starts("root/b"), 1u);
  pass(100ms);
  CAF_CHECK_EQUAL(starts("root/a"), 1u);
  CAF_CHECK_EQUAL(starts("root/b"), 2u);
  CAF_CHECK_EQUAL(starts("root/c"), 2u);
  CAF_CHECK(state("root/c") == tree_state::running);
}

CAF_TEST(a killed supervisor takes its children with it at every level) {
  auto inner = options();
  inner.children = {child("x"), child("y", restart_type::permanent, stubborn_child)};
  auto with = options();
  with.children = {child("a"), supervisor_child("inner", inner, 1s)};
  start(with);
  auto conn = sys.spawn(stubborn_child);
  caf::anon_send(root, adopt_child{"conn", conn});
  consume_messages();
  end(root, caf::exit_reason::kill);
  for (const char* path : {"root/a", "root/inner/x", "root/inner/y"})
    CAF_CHECK(!is_alive(actor(path)));
  CAF_CHECK(!is_alive(conn));
  CAF_CHECK_EQUAL(tree->size(), 0u);
}

CAF_TEST(a killed inner supervisor is restarted with its children) {
  auto inner = options();
  inner.children = {child("x")};
  auto with = options();
  with.children = {supervisor_child("inner", inner, 1s)};
  start(with);
  const auto address = entry("root/inner").address;
  end(caf::actor_cast<caf::actor>(address), caf::exit_reason::kill);
  CAF_CHECK(!is_alive(born->at("root/inner/x").front()));
  CAF_CHECK_EQUAL(starts("root/inner/x"), 2u);
  CAF_CHECK(state("root/inner/x") == tree_state::running);
  CAF_CHECK_EQUAL(entry("root/inner").restarts, 1u);
  CAF_CHECK_EQUAL(tree->size(), 3u);
}

CAF_TEST(a supervisor that stops takes no new children) {
  auto with = options();
  with.children = {child("a", restart_type::permanent, stubborn_child)};
  start(with);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  consume_messages();
  auto late = self->request(root, 1s, add_child{std::make_shared<child_spec>(child("b"))});
  auto conn = sys.spawn(obedient_child);
  caf::anon_send(root, adopt_child{"conn", conn});
  consume_messages();
  late.receive([] { CAF_FAIL("it was added"); },
               [](const caf::error& err) { CAF_CHECK_EQUAL(err, errc::draining); });
  CAF_CHECK(!is_alive(conn)); // adopted and stopped
  pass(100ms);
  CAF_CHECK(!is_alive(root));
}

CAF_TEST(significant children end their supervisor in order) {
  auto with = options();
  with.restart.shutdown_with = auto_shutdown::any_significant;
  with.children = {child("a"), child("job", restart_type::transient)};
  with.children[1].significant = true;
  start(with);
  tell("root/job", "crash");
  CAF_CHECK_EQUAL(starts("root/job"), 2u);
  tell("root/job", "normal");
  CAF_CHECK(!is_alive(root));
  CAF_CHECK_EQUAL(take_ends(), (strings{"root/job", "root/job", "root/a"}));
}

CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE launcher
#include "caf_app/process/launcher.hpp"

#include <signal.h>

#include <map>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/registry/actor_hooks.hpp"
#include "support/loop_fixture.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::test;

namespace {

using kind = process_event_kind;

struct told {
  std::map<std::string, std::vector<kind>> events; // by process
  std::map<std::string, std::vector<int>> pids;    // of started
  std::map<std::string, std::string> lines;        // each with a line feed
  std::vector<process_event> restarts;
  std::vector<std::string> above; // paths that the supervisor above has heard of
};

struct config : loop_config, hook_carrier {
  config() { add_messages(*this); }
};

struct fixture {
  config cfg;
  caf::actor_system sys{cfg};
  event_loop loop{sys, {}};
  std::shared_ptr<supervision_tree> tree = std::make_shared<supervision_tree>();
  watched<told> log;
  launcher_ptr testee;
  caf::actor root;

  fixture() {
    launcher_options options;
    options.loop = &loop;
    options.lines = [this](std::string_view name, std::string_view line) {
      log.change([&](told& x) { (x.lines[std::string{name}] += line) += '\n'; });
    };
    options.events = [this](const process_event& event) {
      log.change([&](told& x) {
        x.events[event.name].push_back(event.kind);
        if (event.kind == kind::started)
          x.pids[event.name].push_back(event.pid);
        if (event.kind == kind::restarting)
          x.restarts.push_back(event);
      });
    };
    testee = launcher::make(std::move(options));
  }

  ~fixture() {
    if (root)
      caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
    root = nullptr;
    sys.await_all_actors_done();
  }

  void start() {
    supervisor_options options;
    options.path = "root";
    options.tree = tree;
    options.restart.intensity = 100;
    options.log = [this](const supervision_event& event) {
      if (event.kind == supervision_event_kind::restarting)
        log.change([&](told& x) { x.above.push_back(event.path); });
    };
    options.restart.backoff.first = 0ms;
    options.children.push_back(testee->spec());
    root = spawn_supervisor(sys, std::move(options));
  }

  process_spec script(std::string name, const std::string& text) {
    process_spec result;
    result.name = std::move(name);
    result.arguments = {"/bin/sh", "-c", text};
    result.restarts.backoff.first = 1ms;
    result.restarts.backoff.max = 2ms;
    return result;
  }

  size_t count(const std::string& name, kind what) {
    const auto events = log.get().events[name];
    return static_cast<size_t>(std::count(events.begin(), events.end(), what));
  }

  void wait_for(const std::string& name, kind what, size_t times = 1) {
    log.wait([&](const told& x) {
      const auto found = x.events.find(name);
      return found != x.events.end() && std::count(found->second.begin(), found->second.end(),
                                                   what) >= static_cast<ptrdiff_t>(times);
    });
  }

  process_info info(const std::string& name) {
    for (auto& x : testee->list())
      if (x.name == name)
        return x;
    CAF_FAIL("no process is named " << name);
    return {};
  }

  int pid(const std::string& name) { return log.get().pids[name].back(); }

  void kill_actor(const std::string& path) {
    const auto entry = tree->find(path);
    CAF_REQUIRE(entry);
    caf::anon_send_exit(caf::actor_cast<caf::actor>(entry->address), caf::exit_reason::kill);
  }
};

/// Waits for a state that is reached soon after an event.
template <class F>
void soon(F reached) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (!reached()) {
    CAF_REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::yield();
  }
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(launcher_tests, fixture)

  CAF_TEST(a process starts and says that it is ready and its lines have its name) {
    CAF_CHECK(!testee->launch(
        script("a", "echo hello; echo ready a x:1 y:2; echo no >&2; exec sleep 1000")));
    CAF_CHECK(info("a").state == process_state::waiting);
    start();
    wait_for("a", kind::ready);
    log.wait([](told x) { return x.lines["a"].find("no\n") != std::string::npos; });
    CAF_CHECK(log.get().lines["a"].find("hello\n") != std::string::npos);
    const auto shown = info("a");
    CAF_CHECK(shown.state == process_state::ready);
    CAF_CHECK_EQUAL(shown.pid, pid("a"));
    const std::vector<std::string> wanted{"x:1", "y:2"};
    CAF_CHECK_EQUAL(shown.addresses, wanted);
    CAF_CHECK_EQUAL(shown.starts, 1u);
    CAF_CHECK(tree->find("root/launcher/a/process").has_value());
  }

  CAF_TEST(a clean end is final) {
    start();
    CAF_CHECK(!testee->launch(script("a", "echo ready a")));
    wait_for("a", kind::ended);
    CAF_CHECK(info("a").state == process_state::ended);
    CAF_CHECK_EQUAL(info("a").last_end, "exit status 0");
    CAF_CHECK(testee->idle());
    CAF_CHECK(!testee->launch(script("a", "echo ready a"))); // its name is free
    wait_for("a", kind::ended, 2);
  }

  CAF_TEST(a killed process is started again) {
    start();
    CAF_CHECK(!testee->launch(script("a", "echo ready a; exec sleep 1000")));
    wait_for("a", kind::ready);
    const auto first = pid("a");
    ::kill(first, SIGKILL);
    wait_for("a", kind::ready, 2);
    CAF_CHECK_NOT_EQUAL(pid("a"), first);
    CAF_CHECK_EQUAL(info("a").last_end, "signal 9 (SIGKILL)");
    CAF_CHECK_EQUAL(info("a").starts, 2u);
  }

  CAF_TEST(who listens is told how a process has ended and when it starts again) {
    start();
    auto bad = script("bad", "exit 3");
    bad.restarts.backoff.first = bad.restarts.backoff.max = 1h;
    bad.restarts.backoff.at_once = false;
    bad.restarts.backoff.jitter = 0;
    CAF_CHECK(!testee->launch(bad));
    wait_for("bad", kind::restarting);
    const auto told = log.get();
    CAF_CHECK_EQUAL(told.restarts.front().text, "bad ended with exit status 3");
    CAF_CHECK(told.restarts.front().delay > 59min && told.restarts.front().delay <= 1h);
    CAF_CHECK(told.above.empty()); // it is not said twice
  }

  CAF_TEST(one that fails too often is given up and leaves the others alone) {
    start();
    CAF_CHECK(!testee->launch(script("good", "echo ready good; exec sleep 1000")));
    auto bad = script("bad", "exit 3");
    bad.restarts.intensity = 2;
    CAF_CHECK(!testee->launch(bad));
    wait_for("bad", kind::gave_up);
    CAF_CHECK_EQUAL(count("bad", kind::started), 3u);
    CAF_CHECK_EQUAL(count("bad", kind::ended), 3u);
    CAF_CHECK(info("bad").state == process_state::failed);
    wait_for("good", kind::ready);
    CAF_CHECK_EQUAL(count("good", kind::started), 1u);
    CAF_CHECK(!testee->idle());
  }

  CAF_TEST(a program that does not exist is given up too) {
    start();
    auto none = script("none", "");
    none.arguments = {"/no/such/program"};
    none.restarts.intensity = 1;
    CAF_CHECK(!testee->launch(none));
    wait_for("none", kind::gave_up);
    CAF_CHECK(info("none").last_end.find("/no/such/program") != std::string::npos);
  }

  CAF_TEST(one that never gets ready is killed and started again) {
    start();
    auto slow = script("slow", "exec sleep 1000");
    slow.timing.start = 20ms;
    slow.restarts.intensity = 1;
    CAF_CHECK(!testee->launch(slow));
    wait_for("slow", kind::gave_up);
    CAF_CHECK_EQUAL(count("slow", kind::started), 2u);
  }

  CAF_TEST(stopping asks first and kills one that ignores it or is frozen) {
    start();
    auto polite = script(
        "polite", "trap 'echo bye; exit 5' TERM; echo ready polite; while :; do sleep 0.01; done");
    auto deaf = script("deaf", "trap '' TERM; echo ready deaf; while :; do sleep 1000; done");
    auto frozen = script("frozen", "trap : TERM; echo ready frozen; while :; do sleep 0.01; done");
    deaf.timing.stop = frozen.timing.stop = 50ms;
    for (const auto& spec : {polite, deaf, frozen}) {
      CAF_CHECK(!testee->launch(spec));
      wait_for(spec.name, kind::ready);
    }
    ::kill(pid("frozen"), SIGSTOP);
    testee->stop_all();
    for (const auto* name : {"polite", "deaf", "frozen"})
      wait_for(name, kind::ended);
    soon([&] { return testee->idle(); });
    CAF_CHECK(log.get().lines["polite"].find("bye\n") != std::string::npos);
    CAF_CHECK_EQUAL(info("polite").last_end, "exit status 5");
    CAF_CHECK_EQUAL(info("deaf").last_end, "signal 9 (SIGKILL)");
    CAF_CHECK_EQUAL(info("frozen").last_end, "signal 9 (SIGKILL)");
    CAF_CHECK_EQUAL(count("polite", kind::started), 1u);
  }

CAF_TEST(one that waits for its next start can be stopped) {
  start();
  auto bad = script("bad", "exit 3");
  bad.restarts.backoff.first = 1h;
  bad.restarts.backoff.max = 1h;
  bad.restarts.backoff.at_once = false;
  CAF_CHECK(!testee->launch(bad));
  wait_for("bad", kind::ended);
  CAF_CHECK(!testee->idle());
  CAF_CHECK(!testee->stop("bad"));
  soon([&] { return testee->idle(); });
  CAF_CHECK_EQUAL(count("bad", kind::started), 1u);
}

CAF_TEST(killing the launcher or an actor of a process leaves the process alone) {
  start();
  CAF_CHECK(!testee->launch(script("a", "echo ready a; read x < /dev/zero; exec sleep 1000")));
  wait_for("a", kind::started);
  const auto first = pid("a");
  for (const auto* path : {"root/launcher", "root/launcher/a/process", "root/launcher/a"}) {
    soon([&] {
      const auto entry = tree->find("root/launcher/a/process");
      return entry && entry->state == tree_state::running;
    });
    const auto before = tree->find(path);
    CAF_REQUIRE(before);
    kill_actor(path);
    soon([&] {
      const auto entry = tree->find(path);
      return entry && entry->state == tree_state::running && entry->actor_id != before->actor_id;
    });
  }
  CAF_CHECK_EQUAL(count("a", kind::started), 1u);
  CAF_CHECK_EQUAL(::kill(first, 0), 0);
}

CAF_TEST(a process that ends while nobody looks is seen by the next incarnation) {
  start();
  CAF_CHECK(!testee->launch(script("a", "echo ready a; exec sleep 1000")));
  wait_for("a", kind::ready);
  const auto first = pid("a");
  kill_actor("root/launcher");
  ::kill(first, SIGKILL);
  wait_for("a", kind::ready, 2);
  CAF_CHECK_NOT_EQUAL(pid("a"), first);
}

CAF_TEST(names are unique among those that live and must be segments of a path) {
  CAF_CHECK(!testee->launch(script("a", "true")));
  CAF_CHECK(code_of(testee->launch(script("a", "true"))) == errc::conflict);
  CAF_CHECK(code_of(testee->launch(script("", "true"))) == errc::invalid_argument);
  CAF_CHECK(code_of(testee->launch(script("a/b", "true"))) == errc::invalid_argument);
  CAF_CHECK(code_of(testee->stop("b")) == errc::not_found);
  CAF_CHECK(!testee->stop("a")); // before the launcher runs
  CAF_CHECK(testee->idle());
}

CAF_TEST(the end of the launcher ends its processes in order) {
  start();
  CAF_CHECK(!testee->launch(
      script("a", "trap 'echo bye; exit 0' TERM; echo ready a; while :; do sleep 0.01; done")));
  wait_for("a", kind::ready);
  caf::anon_send_exit(root, caf::exit_reason::user_shutdown);
  wait_for("a", kind::ended);
  root = nullptr;
  CAF_CHECK(log.get().lines["a"].find("bye\n") != std::string::npos);
}

CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE eval_brain
#include "actors/scaler/eval_brain.hpp"

#include <algorithm>

#include <caf/test/unit_test.hpp>

#include <boost/json.hpp>

#include "actors/scaler/eval_pressure.hpp"
#include "actors/scaler/replay.hpp"

using namespace std::chrono_literals;
using namespace caf_app;
using namespace caf_app::scaler;

namespace {

/// An evaluator with a made-up load: so many calls would like to run, each takes a while.
struct evaluator {
  evaluator() {
    options.eval = {true, 1, 8};
    options.quiet_window = 5s;
    options.down_cooldown = 1s;
    begin();
  }

  void begin() {
    testee.reset();
    board = std::make_shared<scaler_board>(options, size_t{1});
    eval_brain_options with;
    with.target = "eval/e1";
    with.board = board;
    with.books = books;
    with.log = make_logger({});
    testee = std::make_unique<eval_brain>(with, now);
  }

  eval_report report() const {
    const auto busy = std::min<uint64_t>(wanted, workers);
    eval_report result;
    result.workers = {workers, 0, 0, workers - busy, busy};
    auto& s = result.sample.emplace();
    s.at = now - age;
    s.workers = workers;
    s.queue_max = 64;
    s.busy = static_cast<double>(busy);
    s.queue = wanted - busy;
    if (wanted > busy)
      s.queue_wait_p50_us = 1000.0 * static_cast<double>(wanted) / static_cast<double>(busy);
    s.service_p50_us = 1000;
    s.rate = 1000.0 * static_cast<double>(useless ? 1 : busy);
    s.run_delay = run_delay;
    auto& host = result.host.emplace();
    host.at = now - age;
    host.cores = 2;
    host.memory_available = 1 << 30;
    return result;
  }

  void run(steady::duration time, bool owner = true) {
    for (steady::duration t{}; t < time; t += options.period) {
      now += options.period;
      if (const auto count = testee->step(report(), owner, now)) {
        workers = *count;
        history.push_back(*count);
      }
    }
  }

  /// The last decision.
  boost::json::object last() const {
    return boost::json::parse(board->decisions()).as_array().back().as_object();
  }

  scaler_options options;
  steady::time_point now{1h};
  steady::duration age{};
  uint64_t workers = 1;
  uint64_t wanted = 0; // calls that run or wait
  double run_delay = 0;
  bool useless = false; // more workers do no more
  std::vector<size_t> history;
  metrics_ptr books = std::make_shared<metrics>();
  std::shared_ptr<scaler_board> board;
  std::unique_ptr<eval_brain> testee;
};

using counts = std::vector<size_t>;

} // namespace

CAF_TEST(calls that wait longer than they run get more workers and idle ones go) {
  evaluator x;
  x.wanted = 24;
  x.run(60s);
  CAF_CHECK_EQUAL(x.workers, 8u);
  CAF_CHECK_EQUAL(x.last().at("target").as_string(), "eval/e1");
  CAF_CHECK_EQUAL(x.last().at("verdict").as_string(), "eval_bound");
  x.wanted = 0;
  x.run(60s);
  CAF_CHECK_EQUAL(x.workers, 1u);
  // A quarter of what is there, at least one; down one by one.
  CAF_CHECK((x.history == counts{2, 3, 4, 5, 6, 7, 8, 7, 6, 5, 4, 3, 2, 1}));
}

CAF_TEST(steps up are a quarter of what is there) {
  evaluator x;
  x.options.eval.max_workers = 64;
  x.begin();
  x.workers = 16;
  x.wanted = 400;
  x.run(30s);
  CAF_REQUIRE(x.history.size() > 2);
  CAF_CHECK((counts{x.history[0], x.history[1], x.history[2]} == counts{20, 25, 31}));
}

CAF_TEST(calls that wait for less than they run start nobody) {
  evaluator x;
  x.workers = 4;
  x.wanted = 4;
  x.run(30s);
  CAF_CHECK(x.history.empty());
}

CAF_TEST(workers that do no more are taken back and not tried again) {
  evaluator x;
  x.workers = 2;
  x.wanted = 12;
  x.useless = true;
  x.run(60s);
  CAF_CHECK((x.history == counts{3, 2}));
  CAF_CHECK_EQUAL(x.last().at("held_by").as_string(), "no_gain");
}

CAF_TEST(a contended host holds but for a panic) {
  evaluator x;
  x.workers = 2;
  x.wanted = 12;
  x.run_delay = 0.5;
  x.run(10s);
  CAF_CHECK(x.history.empty());
  CAF_CHECK_EQUAL(x.last().at("reason").as_string(), "host_contended");
  x.wanted = 2 + 31;
  x.run(1s);
  CAF_CHECK(x.history.empty());
  x.wanted = 2 + 32; // half of the queue
  x.run(200ms);
  CAF_CHECK((x.history == counts{3}));
}

CAF_TEST(bounds win and the most are as many as cores by default) {
  evaluator x;
  x.options.eval = {true, 1, 0};
  x.begin();
  x.workers = 4;
  x.run(2s);
  CAF_CHECK((x.history == counts{3, 2}));
  x.options.eval = {true, 4, 4};
  x.board->configure(x.options, 1);
  x.run(2s);
  CAF_CHECK((x.history == counts{3, 2, 3, 4}));
}

CAF_TEST(samples that are old or missing shrink nothing) {
  evaluator x;
  x.workers = 8;
  x.run(1s);
  x.age = 2s;
  x.run(60s);
  CAF_CHECK(x.history.empty());
  CAF_CHECK_EQUAL(x.last().at("reason").as_string(), "samples_stale");
}

CAF_TEST(who does not hold the name watches) {
  evaluator x;
  x.wanted = 24;
  x.run(10s, false);
  CAF_CHECK(x.history.empty());
  CAF_CHECK_EQUAL(x.last().at("held_by").as_string(), "not_owner");
}

CAF_TEST(a dry run decides and does nothing) {
  evaluator x;
  x.options.dry_run = true;
  x.begin();
  x.wanted = 24;
  x.run(10s);
  CAF_CHECK(x.history.empty());
  CAF_CHECK(x.board->decisions().find(R"("action":"grow")") != std::string::npos);
}

CAF_TEST(the same reports give the same decisions) {
  const auto play = [] {
    evaluator x;
    for (const uint64_t wanted : {24, 3, 40, 0, 9})
      x.wanted = wanted, x.run(9s);
    return x.history;
  };
  CAF_CHECK(play() == play());
}

CAF_TEST(the metrics have the target and the age of the last sample) {
  evaluator x;
  x.now = steady_now();
  x.begin();
  x.run(200ms);
  const auto text = x.books->exposition();
  const auto has = [&](const char* what) { return text.find(what) != std::string::npos; };
  CAF_CHECK(has(R"(caf_scaler_instances{state="ready",target="eval/e1"} 1)"));
  CAF_CHECK(has(R"(caf_scaler_sample_age_seconds{instance="eval/e1"} )"));
  x.testee.reset();
  CAF_CHECK(x.books->exposition().find("sample_age") == std::string::npos);
}

CAF_TEST(the web tier hears of queues and of evaluators that cannot grow) {
  eval_pressure all{2};
  const steady::time_point now{1h};
  CAF_CHECK(!all.look(now, 1s));
  all.note(0, {3, true}, now);
  CAF_CHECK(all.look(now, 1s)->at_max);
  all.note(1, {4, false}, now);
  CAF_CHECK_EQUAL(all.look(now, 1s)->queue, 7u);
  CAF_CHECK(!all.look(now, 1s)->at_max);
  all.note(1, {0, false}, now); // room, but nobody waits there
  CAF_CHECK(all.look(now, 1s)->at_max);
  CAF_CHECK(all.look(now + 1s, 1s));
  CAF_CHECK(!all.look(now + 1001ms, 1s));
}

CAF_TEST(an evaluator is full when nothing may change its workers) {
  evaluator x;
  x.wanted = 9;
  CAF_CHECK_EQUAL(load_of(x.report(), x.options).queue, 8u);
  CAF_CHECK(!load_of(x.report(), x.options).at_max);
  x.workers = 8;
  CAF_CHECK(load_of(x.report(), x.options).at_max);
  x.workers = 1;
  x.options.eval.enabled = false;
  CAF_CHECK(load_of(x.report(), x.options).at_max);
}

#define CAF_SUITE worker_pool
#include "actors/eval/worker_pool.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace std::chrono_literals;
using caf_app::eval::worker_pool;

namespace {

using admission = worker_pool::admission;
using kind = worker_pool::step::kind;

const worker_pool::time_point start{1h};

worker_pool::options with(size_t workers, size_t queue_max = 1024) {
  worker_pool::options result;
  result.workers = workers;
  result.queue_max = queue_max;
  return result;
}

/// A pool whose workers start at once; calls run until they are told to finish.
struct rig {
  explicit rig(worker_pool::options options) : pool(options) {}

  admission submit(uint64_t call, std::string tenant, std::string key = "k",
                   std::string build = "b") {
    return pool.submit({call, std::move(build), std::move(key), std::move(tenant)}, displaced);
  }

  /// Does everything that is to be done. @returns the calls that began to run
  std::vector<uint64_t> go() {
    std::vector<uint64_t> result;
    for (auto steps = pool.next(); !steps.empty(); steps = pool.next())
      for (auto& step : steps)
        switch (step.what) {
          case kind::run:
            result.push_back(step.call);
            worker_of[step.call] = step.worker;
            break;
          case kind::start:
            ++starts;
            pool.started(step.worker, now);
            break;
          case kind::end: ended.push_back(step.worker); break;
        }
    return result;
  }

  void finish(uint64_t call) { pool.finished(worker_of.at(call), now); }

  worker_pool pool;
  worker_pool::time_point now = start;
  std::vector<uint64_t> displaced;
  std::vector<uint64_t> ended;
  std::map<uint64_t, uint64_t> worker_of;
  size_t starts = 0;
};

using calls = std::vector<uint64_t>;

} // namespace

CAF_TEST(a worker serves its key again without a start) {
  rig it{with(4)};
  it.submit(1, "a");
  CAF_CHECK_EQUAL(it.go(), calls{1});
  it.finish(1);
  it.submit(2, "a");
  CAF_CHECK_EQUAL(it.go(), calls{2});
  CAF_CHECK_EQUAL(it.starts, 1u);
  CAF_CHECK_EQUAL(it.worker_of[1], it.worker_of[2]);
}

CAF_TEST(a worker never serves another key) {
  rig it{with(1)};
  it.submit(1, "a", "one");
  it.go();
  it.finish(1);
  it.submit(2, "a", "two");
  CAF_CHECK_EQUAL(it.go(), calls{2});
  CAF_CHECK_EQUAL(it.starts, 2u);
  CAF_CHECK_EQUAL(it.ended, calls{it.worker_of[1]});
}

CAF_TEST(the worker that is idle for longest is replaced) {
  rig it{with(2)};
  it.submit(1, "a", "one");
  it.submit(2, "a", "two");
  it.go();
  it.finish(2);
  it.now += 1s;
  it.finish(1);
  it.submit(3, "a", "three");
  it.go();
  CAF_CHECK_EQUAL(it.ended, calls{it.worker_of[2]});
}

CAF_TEST(no capacity is exceeded or left unused) {
  for (size_t workers = 1; workers <= 64; ++workers) {
    rig it{with(workers)};
    for (uint64_t call = 1; call <= 2 * workers; ++call)
      it.submit(call, "a", std::to_string(call));
    CAF_CHECK_EQUAL(it.go().size(), workers);
    CAF_CHECK_EQUAL(it.pool.busy(), workers);
    CAF_CHECK_EQUAL(it.pool.waiting(), workers);
  }
}

CAF_TEST(calls of several keys start several workers at once) {
  rig it{with(4)};
  for (uint64_t call = 1; call <= 3; ++call)
    it.submit(call, "a", std::to_string(call));
  const auto steps = it.pool.next();
  CAF_CHECK_EQUAL(steps.size(), 3u);
  CAF_CHECK(it.pool.next().empty()); // they are on their way
}

CAF_TEST(calls of a tenant run in the order in which they came) {
  rig it{with(1)};
  for (uint64_t call = 1; call <= 4; ++call)
    it.submit(call, "a");
  for (uint64_t call = 1; call <= 4; ++call) {
    CAF_CHECK_EQUAL(it.go(), calls{call});
    it.finish(call);
  }
}

CAF_TEST(a greedy tenant does not keep others waiting) {
  rig it{with(4)};
  for (uint64_t call = 1; call <= 100; ++call)
    it.submit(call, "greedy", std::to_string(call));
  it.go();
  it.submit(200, "modest");
  it.submit(201, "shy");
  CAF_CHECK(it.go().empty());
  it.finish(1);
  it.finish(2);
  CAF_CHECK_EQUAL(it.go(), (calls{200, 201}));
}

CAF_TEST(what others cannot use is left to a greedy tenant) {
  auto options = with(4);
  options.tenant_share = 0.25;
  rig it{options};
  for (uint64_t call = 1; call <= 8; ++call)
    it.submit(call, call % 2 == 0 ? "a" : "b", std::to_string(call));
  CAF_CHECK_EQUAL(it.go().size(), 4u);
}

CAF_TEST(a tenant alone may fill the queue and no more) {
  rig it{with(1, 8)};
  it.submit(1, "a");
  it.go();
  for (uint64_t call = 2; call <= 9; ++call)
    CAF_CHECK_EQUAL(it.submit(call, "a"), admission::waits);
  CAF_CHECK_EQUAL(it.submit(10, "a"), admission::queue_full);
}

CAF_TEST(calls that only wait for a start do not fill the queue) {
  rig it{with(4, 1)};
  for (uint64_t call = 1; call <= 5; ++call)
    CAF_CHECK_EQUAL(it.submit(call, "a", std::to_string(call)), admission::waits);
  CAF_CHECK_EQUAL(it.submit(6, "a"), admission::queue_full);
  CAF_CHECK_EQUAL(it.go().size(), 4u);
  CAF_CHECK_EQUAL(it.submit(7, "a"), admission::queue_full);
}

CAF_TEST(a share binds while others wait) {
  rig it{with(1, 8)};
  it.submit(1, "a");
  it.go();
  for (uint64_t call = 2; call <= 4; ++call)
    it.submit(call, "a");
  it.submit(5, "b");
  CAF_CHECK_EQUAL(it.submit(6, "a"), admission::waits);
  CAF_CHECK_EQUAL(it.submit(7, "a"), admission::tenant_full);
}

CAF_TEST(a full queue makes room for a tenant below its share) {
  rig it{with(1, 8)};
  it.submit(1, "a");
  it.go();
  for (uint64_t call = 2; call <= 9; ++call)
    it.submit(call, "a");
  CAF_CHECK_EQUAL(it.submit(10, "b"), admission::waits);
  CAF_CHECK_EQUAL(it.displaced, calls{9});
  CAF_CHECK_EQUAL(it.pool.waiting(), 8u);
}

CAF_TEST(a waiting call can be cancelled and a running one cannot) {
  rig it{with(1)};
  it.submit(1, "a");
  it.submit(2, "a");
  it.go();
  CAF_CHECK(!it.pool.cancel(1));
  CAF_CHECK(it.pool.cancel(2));
  CAF_CHECK(!it.pool.cancel(2));
  it.finish(1);
  CAF_CHECK(it.go().empty());
}

CAF_TEST(a worker retires when it has been idle for exactly the timeout) {
  rig it{with(1)};
  it.submit(1, "a");
  it.go();
  it.finish(1);
  CAF_CHECK(it.pool.retire(it.now + 300s - 1ns).empty());
  CAF_CHECK_EQUAL(it.pool.retire(it.now + 300s), calls{it.worker_of[1]});
  CAF_CHECK_EQUAL(it.pool.workers(), 0u);
}

CAF_TEST(a worker that ends makes room and its call is not repeated) {
  rig it{with(1)};
  it.submit(1, "a");
  it.submit(2, "a");
  it.go();
  it.pool.ended(it.worker_of[1]);
  CAF_CHECK_EQUAL(it.go(), calls{2});
  CAF_CHECK_EQUAL(it.starts, 2u);
}

CAF_TEST(a deleted build loses its calls and idle workers only) {
  rig it{with(4)};
  it.submit(1, "a", "k", "gone");
  it.submit(2, "a", "k", "stays");
  it.go();
  it.finish(1);
  it.submit(3, "a", "other", "gone");
  CAF_CHECK_EQUAL(it.pool.drop_build("gone"), calls{3});
  CAF_CHECK_EQUAL(it.pool.retire_build("gone"), calls{it.worker_of[1]});
  CAF_CHECK_EQUAL(it.pool.workers_of("stays"), 1u);
}

// Each call ends exactly once, no worker runs two calls or serves two keys, and the pool is empty
// at the end.
CAF_TEST(more workers serve more at once) {
  rig x{with(1)};
  for (uint64_t call = 1; call <= 3; ++call)
    x.submit(call, "t");
  CAF_CHECK_EQUAL(x.go().size(), 1u);
  x.pool.set_workers(3);
  CAF_CHECK_EQUAL(x.go().size(), 2u);
  CAF_CHECK_EQUAL(x.pool.workers_max(), 3u);
  x.pool.set_workers(0); // one has to be left
  CAF_CHECK_EQUAL(x.pool.workers_max(), 1u);
}

CAF_TEST(fewer workers end idle ones without a key first and those with one last) {
  rig x{with(4)};
  for (uint64_t call = 1; call <= 3; ++call) {
    x.submit(call, "t", "key" + std::to_string(call));
    x.go();
    x.now += 1s;
  }
  x.finish(1); // idle for longest
  x.now += 1s;
  x.finish(2);
  x.submit(4, "t", "other", "b2");
  for (auto& step : x.pool.next()) // its call is gone before it is ready
    if (step.what == kind::start) {
      x.pool.cancel(4);
      x.pool.started(step.worker, x.now);
      x.worker_of[4] = step.worker;
    }
  const auto all = x.pool.count();
  CAF_CHECK_EQUAL(all.unbound, 1u);
  CAF_CHECK_EQUAL(all.bound, 2u);
  CAF_CHECK_EQUAL(all.busy, 1u);
  using workers = std::vector<uint64_t>;
  CAF_CHECK(x.pool.trim().empty());
  x.pool.set_workers(3);
  CAF_CHECK(x.pool.trim() == workers{x.worker_of[4]});
  x.pool.set_workers(1);
  CAF_CHECK((x.pool.trim() == workers{x.worker_of[1], x.worker_of[2]}));
  CAF_CHECK_EQUAL(x.pool.count().busy, 1u);
}

CAF_TEST(a worker at work goes when its call is over and what waits runs elsewhere) {
  rig x{with(2)};
  for (uint64_t call = 1; call <= 4; ++call)
    x.submit(call, "t");
  CAF_CHECK_EQUAL(x.go().size(), 2u);
  x.pool.set_workers(1);
  CAF_CHECK(x.pool.trim().empty());
  CAF_CHECK(x.submit(5, "t") == admission::waits);
  x.finish(1);
  CAF_CHECK_EQUAL(x.pool.trim().size(), 1u);
  CAF_CHECK(x.go().empty());
  x.finish(2);
  CAF_CHECK(x.pool.trim().empty());
  CAF_CHECK_EQUAL(x.go().size(), 1u);
  CAF_CHECK_EQUAL(x.pool.workers(), 1u);
}

CAF_TEST(a full queue is full although more are at work than there may be) {
  rig x{with(3, 1)};
  for (uint64_t call = 1; call <= 3; ++call)
    x.submit(call, "t");
  CAF_CHECK_EQUAL(x.go().size(), 3u);
  x.pool.set_workers(1);
  CAF_CHECK(x.submit(4, "t") == admission::waits);
  CAF_CHECK(x.submit(5, "t") == admission::queue_full);
}

CAF_TEST(random days keep the books) {
  std::mt19937 random{test_seed()};
  for (int day = 0; day < 50; ++day) {
    rig it{with(1 + random() % 8, 1 + random() % 40)};
    std::map<uint64_t, std::string> key_of_worker;
    std::map<uint64_t, std::string> key_of_call;
    std::set<uint64_t> running;
    std::set<uint64_t> waiting;
    uint64_t last = 0;
    for (int i = 0; i < 400; ++i) {
      const auto dice = random() % 10;
      if (dice < 5) {
        const auto key = std::to_string(random() % 5);
        it.displaced.clear();
        const auto verdict =
            it.submit(++last, std::to_string(random() % 4), key, std::to_string(random() % 2));
        if (verdict == admission::waits)
          waiting.insert(last);
        key_of_call[last] = key;
        for (auto gone : it.displaced)
          CAF_REQUIRE_EQUAL(waiting.erase(gone), 1u);
      } else if (dice < 9 && !running.empty()) {
        const auto call = *std::next(running.begin(), random() % running.size());
        running.erase(call);
        if (dice == 8)
          it.pool.ended(it.worker_of.at(call));
        else
          it.finish(call);
      } else if (!waiting.empty()) {
        const auto call = *waiting.begin();
        CAF_REQUIRE(it.pool.cancel(call));
        waiting.erase(call);
      }
      for (auto call : it.go()) {
        CAF_REQUIRE_EQUAL(waiting.erase(call), 1u);
        CAF_REQUIRE(running.insert(call).second);
        const auto worker = it.worker_of.at(call);
        for (auto other : running)
          CAF_REQUIRE(other == call || it.worker_of.at(other) != worker);
        const auto& bound = key_of_worker.try_emplace(worker, key_of_call.at(call)).first->second;
        CAF_REQUIRE_EQUAL(bound, key_of_call.at(call));
      }
      CAF_REQUIRE_EQUAL(it.pool.waiting(), waiting.size());
      CAF_REQUIRE_EQUAL(it.pool.busy(), running.size());
    }
  }
}

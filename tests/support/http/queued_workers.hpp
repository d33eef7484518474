// Workers that a test runs by hand.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "actors/http/loop_context.hpp"

namespace caf_app::http {

class queued_workers final : public worker_pool {
public:
  void run(std::function<void()> work, std::function<void()> done) override {
    jobs.emplace_back(std::move(work), std::move(done));
  }

  /// Runs the oldest job. @returns whether there was one
  bool step() {
    if (jobs.empty())
      return false;
    const auto [work, done] = std::move(jobs.front());
    jobs.pop_front();
    work();
    done();
    return true;
  }

  std::deque<std::pair<std::function<void()>, std::function<void()>>> jobs;
};

} // namespace caf_app::http

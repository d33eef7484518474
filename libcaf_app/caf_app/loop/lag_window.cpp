#include "caf_app/loop/lag_window.hpp"

#include <algorithm>

namespace caf_app {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr int64_t span_ns = std::chrono::nanoseconds{lag_window::span}.count();

void raise(std::atomic<int64_t>& to, int64_t value) noexcept {
  auto seen = to.load(relaxed);
  while (seen < value && !to.compare_exchange_weak(seen, value, relaxed))
    ;
}

} // namespace

void lag_window::note(clock::time_point now, clock::duration late) noexcept {
  const auto at = now.time_since_epoch().count();
  const auto age = at - began_.load(relaxed);
  if (age >= span_ns) {
    previous_.store(age < 2 * span_ns ? current_.load(relaxed) : 0, relaxed);
    current_.store(0, relaxed);
    began_.store(at, relaxed);
  }
  raise(current_, late.count());
  raise(untaken_, late.count());
}

std::chrono::nanoseconds lag_window::worst(clock::time_point now) const noexcept {
  const auto age = now.time_since_epoch().count() - began_.load(relaxed);
  const auto current = age < 2 * span_ns ? current_.load(relaxed) : 0;
  const auto previous = age < span_ns ? previous_.load(relaxed) : 0;
  return std::chrono::nanoseconds{std::max(current, previous)};
}

std::chrono::nanoseconds lag_window::take() noexcept {
  return std::chrono::nanoseconds{untaken_.exchange(0, relaxed)};
}

} // namespace caf_app

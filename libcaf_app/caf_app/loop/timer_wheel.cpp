#include "caf_app/loop/timer_wheel.hpp"

#include <algorithm>
#include <utility>

namespace caf_app {

void wheel_timer::cancel() noexcept {
  prev_->next_ = next_;
  next_->prev_ = prev_;
  prev_ = next_ = this;
}

void wheel_timer::link_before(wheel_timer& head) noexcept {
  prev_ = head.prev_;
  next_ = &head;
  prev_->next_ = this;
  head.prev_ = this;
}

namespace {

template <size_t... Is>
std::array<wheel_timer, sizeof...(Is)> make_heads(std::index_sequence<Is...>) {
  return {((void)Is, wheel_timer{nullptr})...};
}

} // namespace

timer_wheel::timer_wheel(clock::time_point origin)
    : origin_(origin), heads_(make_heads(std::make_index_sequence<slots>{})) {}

uint64_t timer_wheel::tick_at(clock::time_point t) const noexcept {
  return t <= origin_ ? 0 : static_cast<uint64_t>((t - origin_) / tick);
}

bool timer_wheel::slot_empty(size_t slot) const noexcept { return !heads_[slot].armed(); }

void timer_wheel::arm(wheel_timer& timer, clock::time_point due) noexcept {
  timer.cancel();
  timer.tick_ = std::max(tick_at(due + (tick - clock::duration{1})), current_ + 1);
  timer.link_before(heads_[timer.tick_ % slots]);
}

void timer_wheel::advance(clock::time_point now) {
  const auto last = tick_at(now);
  if (last > current_ + slots)
    current_ = last - slots; // after a long pause one turn visits every slot
  while (current_ < last)
    run_slot(++current_);
}

void timer_wheel::run_slot(uint64_t tick) {
  auto& head = heads_[tick % slots];
  if (!head.armed())
    return;
  // The due ones move to a list of their own, so that callbacks can change the slot.
  wheel_timer due{nullptr};
  for (auto* i = head.next_; i != &head;) {
    auto* timer = std::exchange(i, i->next_);
    if (timer->tick_ <= tick) {
      timer->cancel();
      timer->link_before(due);
    }
  }
  while (due.armed()) {
    auto* timer = due.next_;
    timer->cancel();
    timer->on_due_();
  }
}

timer_wheel::clock::time_point timer_wheel::next_wakeup() const noexcept {
  for (uint64_t i = 1; i <= slots; ++i)
    if (!slot_empty((current_ + i) % slots))
      return origin_ + (current_ + i) * tick;
  return clock::time_point::max();
}

} // namespace caf_app

#include "caf_app/loop/timer_wheel.hpp"

#include <algorithm>
#include <bit>

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

uint64_t timer_wheel::tick_after(clock::time_point t) const noexcept {
  return std::max(tick_at(t + (tick - clock::duration{1})), current_ + 1);
}

void timer_wheel::arm(wheel_timer& timer, clock::time_point due) noexcept {
  timer.cancel();
  if (due > clock::time_point::max() - tick)
    return;
  timer.tick_ = tick_after(due);
  const auto slot = timer.tick_ % slots;
  timer.link_before(heads_[slot]);
  occupied_[slot / word_bits] |= uint64_t{1} << slot % word_bits;
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
    timer->fire();
  }
}

size_t timer_wheel::first_occupied(size_t word, uint64_t mask) const noexcept {
  while (const auto bits = occupied_[word] & mask) {
    const auto slot = word * word_bits + static_cast<size_t>(std::countr_zero(bits));
    if (!slot_empty(slot))
      return slot;
    occupied_[word] &= ~(bits & -bits);
  }
  return slots;
}

timer_wheel::clock::time_point timer_wheel::next_wakeup() const noexcept {
  const auto first = (current_ + 1) % slots;
  const auto from_first = ~uint64_t{0} << first % word_bits;
  for (size_t i = 0; i <= words; ++i) { // the first word counts twice: its end, then its begin
    const auto mask = i == 0 ? from_first : i == words ? ~from_first : ~uint64_t{0};
    const auto slot = first_occupied((first / word_bits + i) % words, mask);
    if (slot < slots)
      return origin_ + (current_ + 1 + (slot - first + slots) % slots) * tick;
  }
  return clock::time_point::max();
}

} // namespace caf_app

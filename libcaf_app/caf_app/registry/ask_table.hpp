// The asks of one actor that wait for an answer: found by request number, expired in the order of
// their deadlines. Pure: knows neither actors nor clocks.
//
// Request numbers of an actor only grow, so `number % capacity` is a hash without collisions as
// long as the asks in flight fit; linear probing handles the stragglers. Deadlines live in a binary
// heap beside it. An ask that was answered leaves its heap entry behind, and the heap is swept when
// more than half of it is stale: all operations are O(1) amortised for equal timeouts, O(log n) for
// any.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace caf_app {

/// @tparam Value what is kept per ask; default constructible, movable without exceptions
template <class Value>
class ask_table {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// @returns asks that wait
  size_t size() const noexcept { return size_; }

  bool empty() const noexcept { return size_ == 0; }

  /// Adds an ask.
  /// @param number above zero, not in the table
  void insert(uint64_t number, time_point deadline, Value value) {
    if ((size_ + 1) * 2 > slots_.size())
      grow();
    place(slot{number, std::move(value)});
    ++size_;
    if (heap_.size() > 2 * size_ + sweep_slack)
      sweep();
    heap_.push_back({deadline, number});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }

  /// Takes the ask with this number out.
  std::optional<Value> take(uint64_t number) {
    const auto at = find(number);
    if (at == npos)
      return std::nullopt;
    std::optional<Value> result{std::move(slots_[at].value)};
    erase(at);
    if (--size_ == 0)
      reset();
    return result;
  }

  /// Takes the ask with the earliest deadline out if that is not after `now`. Of equal deadlines
  /// the smaller number comes first.
  std::optional<Value> take_expired(time_point now) {
    while (!heap_.empty() && heap_.front().deadline <= now) {
      const auto number = heap_.front().number;
      pop();
      if (auto value = take(number))
        return value;
    }
    return std::nullopt;
  }

  /// Calls `f(value)` for each ask that waits, in no order; `f` must not change the table.
  template <class F>
  void for_each(F f) const {
    for (const auto& x : slots_)
      if (x.number != 0)
        f(x.value);
  }

  /// @returns the numbers of the asks whose value `matches`, ascending
  template <class Predicate>
  std::vector<uint64_t> numbers_of(Predicate matches) const {
    std::vector<uint64_t> result;
    for (const auto& x : slots_)
      if (x.number != 0 && matches(x.value))
        result.push_back(x.number);
    std::sort(result.begin(), result.end());
    return result;
  }

  /// @returns the earliest deadline, or nothing if no ask waits
  std::optional<time_point> earliest() {
    while (!heap_.empty() && find(heap_.front().number) == npos)
      pop();
    if (heap_.empty())
      return std::nullopt;
    return heap_.front().deadline;
  }

  /// Forgets all asks.
  void clear() {
    slots_.clear();
    heap_.clear();
    size_ = 0;
  }

private:
  struct slot {
    uint64_t number = 0; // 0: free
    Value value{};
  };

  struct due {
    time_point deadline;
    uint64_t number;
  };

  static constexpr size_t npos = static_cast<size_t>(-1);
  static constexpr size_t first_capacity = 8;  // a power of two
  static constexpr size_t sweep_slack = 32;    // entries below which a sweep is not worth it
  static constexpr size_t kept_capacity = 256; // more is given back once nothing waits

  static bool later(const due& a, const due& b) noexcept {
    return a.deadline != b.deadline ? a.deadline > b.deadline : a.number > b.number;
  }

  size_t mask() const noexcept { return slots_.size() - 1; }

  size_t find(uint64_t number) const noexcept {
    if (slots_.empty())
      return npos;
    for (size_t at = number & mask();; at = (at + 1) & mask()) {
      if (slots_[at].number == number)
        return at;
      if (slots_[at].number == 0)
        return npos;
    }
  }

  void place(slot&& x) {
    auto at = x.number & mask();
    while (slots_[at].number != 0)
      at = (at + 1) & mask();
    slots_[at] = std::move(x);
  }

  void grow() {
    std::vector<slot> old(slots_.empty() ? first_capacity : slots_.size() * 2);
    old.swap(slots_);
    for (auto& x : old)
      if (x.number != 0)
        place(std::move(x));
  }

  /// Frees a slot and moves later members of its run up, so that no tombstone is needed.
  void erase(size_t hole) {
    slots_[hole] = slot{};
    for (auto at = (hole + 1) & mask(); slots_[at].number != 0; at = (at + 1) & mask()) {
      const auto home = slots_[at].number & mask();
      if (((at - home) & mask()) < ((at - hole) & mask()))
        continue; // its home lies behind the hole
      slots_[hole] = std::move(slots_[at]);
      slots_[at] = slot{};
      hole = at;
    }
  }

  void pop() {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }

  void sweep() {
    std::erase_if(heap_, [this](const due& x) { return find(x.number) == npos; });
    std::make_heap(heap_.begin(), heap_.end(), later);
  }

  void reset() {
    heap_.clear();
    if (slots_.size() > kept_capacity) {
      slots_ = std::vector<slot>{};
      heap_.shrink_to_fit();
    }
  }

  std::vector<slot> slots_; // capacity is zero or a power of two, at most half full
  std::vector<due> heap_;   // every ask in the table, and stale entries of answered ones
  size_t size_ = 0;
};

} // namespace caf_app

// Requests that have left for other nodes and are not answered yet. A lost link must answer each of
// them, and only what is in this table may be delivered as a reply: an answer that comes after its
// end is counted and dropped. Entries live no longer than their deadline, so nothing leaks when a
// server never answers.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// Who waits for which answer: request numbers count per actor.
struct pending_key {
  uint64_t asker = 0;   ///< actor id
  uint64_t request = 0; ///< CAF's request number

  bool operator==(const pending_key&) const = default;
};

/// @tparam Asker how to reach who asked, for example a weak pointer
template <class Asker>
class pending_table {
public:
  using clock = std::chrono::steady_clock;

  /// @param age_max of requests that carry no deadline
  explicit pending_table(clock::duration age_max = limits::cluster::pending_age_max)
      : age_max_(age_max) {}

  /// A request leaves for `peer`.
  /// @param deadline the asker's own, if known; else the maximum age applies
  void insert(const pending_key& key, Asker asker, const member_id& peer, clock::time_point now,
              std::optional<clock::time_point> deadline = std::nullopt) {
    const auto due = deadline ? *deadline : now + age_max_;
    if (const auto known = find(key); known != npos) {
      slots_[known].value = {std::move(asker), peer.life, due};
      return;
    }
    if ((size_ + 1) * 2 > slots_.size())
      resize(slots_.empty() ? first_capacity : slots_.size() * 2);
    place({key, true, {std::move(asker), peer.life, due}});
    ++size_;
  }

  /// A reply has come, from whichever node.
  /// @returns who waits for it; nothing if nobody does: the reply is late
  std::optional<Asker> take(const pending_key& key) {
    auto asker = forget(key);
    late_ += asker ? 0 : 1;
    return asker;
  }

  /// Like take(), for a request that did not leave: nothing is late.
  std::optional<Asker> forget(const pending_key& key) {
    const auto at = find(key);
    if (at == npos)
      return std::nullopt;
    std::optional<Asker> asker{std::move(slots_[at].value.asker)};
    erase(at);
    if (--size_ == 0 && slots_.size() > kept_capacity)
      slots_ = {};
    return asker;
  }

  /// The link to `peer` is gone: takes out all requests that wait for it, to be answered.
  std::vector<std::pair<pending_key, Asker>> lose(const member_id& peer) {
    return take_if([&](const entry& x) { return x.peer == peer.life; });
  }

  /// Takes out the requests whose asker `matches`. Looks at every entry.
  template <class Predicate>
  std::vector<std::pair<pending_key, Asker>> take_where(Predicate matches) {
    return take_if([&](const entry& x) { return matches(x.asker); });
  }

  /// Takes out the requests whose time is over. Their askers have their own deadline and need no
  /// answer; what comes later is late. Looks at every entry: call it about once a second.
  std::vector<std::pair<pending_key, Asker>> expire(clock::time_point now) {
    return take_if([&](const entry& x) { return now >= x.due; });
  }

  /// Requests that wait.
  size_t size() const noexcept { return size_; }

  /// Replies that nobody waited for, so far.
  uint64_t late() const noexcept { return late_; }

private:
  struct entry {
    Asker asker;
    incarnation peer;
    clock::time_point due;
  };

  struct slot {
    pending_key key;
    bool used = false;
    entry value{};
  };

  static constexpr size_t npos = static_cast<size_t>(-1);
  static constexpr size_t first_capacity = 64;   // a power of two, as all
  static constexpr size_t kept_capacity = 1'024; // more is given back once nothing waits

  // Request numbers of an actor follow each other, so this is a hash with few collisions, and what
  // is asked one after the other lies side by side.
  size_t home_of(const pending_key& key) const noexcept {
    return (key.request + key.asker * 0x9e3779b97f4a7c15) & (slots_.size() - 1);
  }
  size_t after(size_t at) const noexcept { return (at + 1) & (slots_.size() - 1); }

  size_t find(const pending_key& key) const noexcept {
    if (slots_.empty())
      return npos;
    for (auto at = home_of(key); slots_[at].used; at = after(at))
      if (slots_[at].key == key)
        return at;
    return npos;
  }

  void place(slot&& x) {
    auto at = home_of(x.key);
    while (slots_[at].used)
      at = after(at);
    slots_[at] = std::move(x);
  }

  void resize(size_t capacity) {
    std::vector<slot> old(capacity);
    old.swap(slots_);
    for (auto& x : old)
      if (x.used)
        place(std::move(x));
  }

  /// Frees a slot and moves later members of its run up, so that no tombstone is needed.
  void erase(size_t hole) {
    const auto mask = slots_.size() - 1;
    slots_[hole] = slot{};
    for (auto at = after(hole); slots_[at].used; at = after(at)) {
      if (((at - home_of(slots_[at].key)) & mask) < ((at - hole) & mask))
        continue; // its home lies behind the hole
      slots_[hole] = std::exchange(slots_[at], slot{});
      hole = at;
    }
  }

  template <class Predicate>
  std::vector<std::pair<pending_key, Asker>> take_if(Predicate matches) {
    std::vector<std::pair<pending_key, Asker>> taken;
    const auto wanted = [&](const slot& x) { return x.used && matches(x.value); };
    if (std::none_of(slots_.begin(), slots_.end(), wanted))
      return taken;
    std::vector<slot> old(slots_.size());
    old.swap(slots_);
    size_ = 0;
    for (auto& x : old) {
      if (wanted(x)) {
        taken.emplace_back(x.key, std::move(x.value.asker));
      } else if (x.used) {
        place(std::move(x));
        ++size_;
      }
    }
    return taken;
  }

  clock::duration age_max_;
  std::vector<slot> slots_; // capacity is zero or a power of two, at most half full
  size_t size_ = 0;
  uint64_t late_ = 0;
};

} // namespace caf_app

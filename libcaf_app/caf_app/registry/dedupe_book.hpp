// Requests that may come twice: what was answered is answered again, what is being worked on gets
// one more waiter. Pure: keys, replies and waiters are whatever its owner takes for them.
//
//   (unknown) --begin--> open --finish--> answered --deadline, or too many--> (unknown)
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "caf_app/registry/ask_limits.hpp"

namespace caf_app {

/// @tparam Key ordered by `<`
/// @tparam Reply default constructible, copied for who asks again
/// @tparam Waiter whoever is to be answered
template <class Key, class Reply, class Waiter>
class dedupe_book {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// What to do about a request.
  enum class verdict {
    fresh,    ///< do the work, then finish()
    waiting,  ///< it is being done: finish() will return the waiter, too
    answered, ///< reply() has what was answered
  };

  /// @param entries_max answered requests that are kept; open ones are kept in any case
  explicit dedupe_book(size_t entries_max = limits::registry::dedupe_entries_max)
      : entries_max_(entries_max) {}

  /// @param until when the asker stops repeating the request
  verdict begin(const Key& key, Waiter waiter, time_point until, time_point now) {
    forget_old(now);
    const auto [found, fresh] = entries_.try_emplace(key);
    auto& x = found->second;
    x.until = std::max(x.until, until);
    if (fresh)
      order_.push_back(key);
    else if (x.done)
      return verdict::answered;
    x.waiters.push_back(std::move(waiter));
    return fresh ? verdict::fresh : verdict::waiting;
  }

  /// @returns who waits for `reply`, in the order in which they came
  std::vector<Waiter> finish(const Key& key, Reply reply) {
    const auto found = entries_.find(key);
    if (found == entries_.end())
      return {};
    found->second.done = true;
    found->second.reply = std::move(reply);
    return std::exchange(found->second.waiters, {});
  }

  /// @pre begin() has just said `answered`
  const Reply& reply(const Key& key) const { return entries_.at(key).reply; }

  /// The work has failed in a way that repeating it may mend: the next request is fresh.
  /// @returns who waits
  std::vector<Waiter> drop(const Key& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end())
      return {};
    auto waiters = std::move(found->second.waiters);
    entries_.erase(found);
    return waiters;
  }

  /// Requests that are open or answered and not forgotten.
  size_t size() const noexcept { return entries_.size(); }

private:
  struct entry {
    bool done = false;
    Reply reply{};
    std::vector<Waiter> waiters;
    time_point until{};
  };

  // Oldest first: what is out of date, and answered ones above the bound.
  void forget_old(time_point now) {
    while (!order_.empty()) {
      const auto found = entries_.find(order_.front());
      if (found != entries_.end()) {
        const auto& x = found->second;
        const bool over = x.until <= now || (x.done && entries_.size() >= entries_max_);
        if (!over || !x.done)
          return;
        entries_.erase(found);
      }
      order_.pop_front();
    }
  }

  size_t entries_max_;
  std::map<Key, entry> entries_;
  std::deque<Key> order_;
};

} // namespace caf_app

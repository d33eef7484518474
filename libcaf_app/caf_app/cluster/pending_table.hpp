// Requests that have left for other nodes and are not answered yet. A lost link must answer each of
// them, and only what is in this table may be delivered as a reply: an answer that comes after its
// end is counted and dropped. Entries live no longer than their deadline, so nothing leaks when a
// server never answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
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

} // namespace caf_app

template <>
struct std::hash<caf_app::pending_key> {
  size_t operator()(const caf_app::pending_key& x) const noexcept {
    return static_cast<size_t>((x.asker * 0x9e3779b97f4a7c15) ^ (x.request * 0xc2b2ae3d27d4eb4f));
  }
};

namespace caf_app {

/// @tparam Asker how to reach who asked, for example a weak pointer
template <class Asker>
class pending_table {
public:
  using clock = std::chrono::steady_clock;

  explicit pending_table(clock::duration age_max = limits::cluster::pending_age_max)
      : age_max_(age_max) {}

  /// A request leaves for `peer`.
  /// @param deadline the asker's own, if known; else the maximum age applies
  void insert(const pending_key& key, Asker asker, const member_id& peer, clock::time_point now,
              std::optional<clock::time_point> deadline = std::nullopt) {
    const auto due = deadline ? *deadline : now + age_max_;
    entries_.insert_or_assign(key, entry{std::move(asker), peer.life, due});
  }

  /// A reply has come, from whichever node.
  /// @returns who waits for it; nothing if nobody does: the reply is late
  std::optional<Asker> take(const pending_key& key) {
    const auto i = entries_.find(key);
    if (i == entries_.end()) {
      ++late_;
      return std::nullopt;
    }
    auto asker = std::move(i->second.asker);
    entries_.erase(i);
    return asker;
  }

  /// Like take(), for a request that did not leave: nothing is late.
  std::optional<Asker> forget(const pending_key& key) {
    const auto i = entries_.find(key);
    if (i == entries_.end())
      return std::nullopt;
    auto asker = std::move(i->second.asker);
    entries_.erase(i);
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

  size_t size() const noexcept { return entries_.size(); }

  /// Replies that nobody waited for, so far.
  uint64_t late() const noexcept { return late_; }

private:
  struct entry {
    Asker asker;
    incarnation peer;
    clock::time_point due;
  };

  template <class Predicate>
  std::vector<std::pair<pending_key, Asker>> take_if(Predicate matches) {
    std::vector<std::pair<pending_key, Asker>> taken;
    for (auto i = entries_.begin(); i != entries_.end();) {
      if (matches(i->second)) {
        taken.emplace_back(i->first, std::move(i->second.asker));
        i = entries_.erase(i);
      } else {
        ++i;
      }
    }
    return taken;
  }

  clock::duration age_max_;
  std::unordered_map<pending_key, entry> entries_;
  uint64_t late_ = 0;
};

} // namespace caf_app

// When to dial whom: one try per peer at a time, with a backoff of its own for each.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "caf_app/cluster/reconnect_backoff.hpp"

namespace caf_app {

/// The dials of one node. `now` never runs backwards.
class dial_book {
public:
  using clock = std::chrono::steady_clock;

  /// A dial whose end nobody has told is forgotten then.
  static constexpr std::chrono::seconds dial_time_max{90};

  /// @param seed of the jitter
  explicit dial_book(uint32_t seed, reconnect_backoff::options backoff = {})
      : seed_(seed), backoff_(backoff) {}

  /// @returns whether `name` is to be dialled now; then it counts as being dialled
  bool begin(const std::string& name, clock::time_point now) {
    auto& entry = entry_of(name);
    const auto under_way = entry.dialling && now - entry.began < dial_time_max;
    if (under_way || now < entry.next)
      return false;
    entry.dialling = true;
    entry.began = now;
    return true;
  }

  /// There is a link to `name`: the next break is answered at once.
  void linked(const std::string& name, clock::time_point now) {
    auto& entry = entry_of(name);
    entry.dialling = false;
    entry.next = now;
    entry.backoff.reset();
  }

  /// A try has failed.
  void failed(const std::string& name, clock::time_point now) {
    auto& entry = entry_of(name);
    entry.dialling = false;
    entry.next = now + entry.backoff.next();
  }

private:
  struct entry {
    reconnect_backoff backoff;
    clock::time_point next{};
    clock::time_point began{};
    bool dialling = false;
  };

  entry& entry_of(const std::string& name) {
    const auto found = entries_.find(name);
    if (found != entries_.end())
      return found->second;
    const auto seed = seed_ + static_cast<uint32_t>(entries_.size());
    return entries_.emplace(name, entry{reconnect_backoff{backoff_, seed}}).first->second;
  }

  uint32_t seed_;
  reconnect_backoff::options backoff_;
  std::map<std::string, entry> entries_;
};

} // namespace caf_app

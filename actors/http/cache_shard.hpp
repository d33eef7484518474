// One shard of a cache_store: what lies below its lock. For cache_store's own files only.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "actors/http/cache_store.hpp"

namespace caf_app::http {

/// What an operation has done to the totals.
struct cache_store::change {
  int64_t bytes = 0;
  int64_t entries = 0;

  change& operator+=(const change& other) {
    bytes += other.bytes;
    entries += other.entries;
    return *this;
  }
};

/// All responses for one key.
struct cache_store::resource {
  static constexpr uint64_t overhead = 256; ///< nodes of the list and both indices

  std::string key;
  std::vector<cache_entry_ptr> variants; // newest first
  uint64_t bytes = 0;
};

/// Everything below `mutex`.
struct cache_store::shard {
  using place = std::list<resource>::iterator;

  struct string_hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  template <class T>
  using string_map = std::unordered_map<std::string, T, string_hash, std::equal_to<>>;

  struct waiter {
    uint64_t ticket;
    follower call;
  };

  struct fill {
    std::vector<waiter> waiters;
  };

  change put(std::string_view key, cache_entry_ptr entry, size_t variants_max);
  change drop_variant(place where, size_t index);
  change drop(place where);

  mutable std::mutex mutex;
  std::list<resource> order; // most recently used first
  std::unordered_map<std::string_view, place> by_hash;
  std::map<std::string_view, place> by_order;
  string_map<std::unordered_set<resource*>> by_tag;
  string_map<fill> fills;
  string_map<steady::time_point> privates; // until when
  uint64_t tickets = 0;

private:
  void index_tags(resource& which, const cache_entry& entry);
  void forget_tags(resource& which, const cache_entry& entry);
};

/// The last purges.
struct cache_store::purge_log {
  static constexpr size_t kept_max = 1024;

  mutable std::mutex mutex;
  std::deque<std::pair<uint64_t, cache_purge>> last; // oldest first
};

} // namespace caf_app::http

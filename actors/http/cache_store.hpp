// The stored responses of a process: shared by its loops, bounded by bytes, least recently used
// first to go. Also remembers who fetches what, so that one request goes to the origin for all who
// want the same, and what was purged, so that a fetch begun before is not stored after.
//
// Sharded by key: a look-up holds the lock of its shard for one hash look-up and a list splice, and
// entries leave it by pointer. Purges hold one shard's lock at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/cache_entry.hpp"
#include "actors/http/cache_key.hpp"
#include "actors/http/field_list.hpp"
#include "caf_app/base/metrics.hpp"

namespace caf_app::http {

struct cache_limits {
  uint64_t bytes_max = 0;   ///< of everything, with metadata
  uint64_t object_max = 0;  ///< bytes of content of one response; larger ones are not stored
  size_t variants_max = 16; ///< per URL; beyond them the oldest goes

  bool operator==(const cache_limits&) const = default;
};

/// Where a store counts; several may share it.
struct cache_books {
  explicit cache_books(metrics& registry);

  gauge& bytes;
  gauge& entries;
  counter& evictions;
};

/// How a fetch ended for those who wait for it.
enum class fill_outcome : uint8_t {
  stored,   ///< look again
  not_kept, ///< the answer is for one: everybody goes for themselves
  failed,   ///< nothing came: look again, somebody has to fetch
};

class cache_store;

/// The right to fetch a key, and the duty to say how it went; a fetch that is dropped has failed.
class cache_fill {
public:
  cache_fill() = default;
  cache_fill(std::shared_ptr<cache_store> store, std::string key, uint64_t purges)
      : store_(std::move(store)), key_(std::move(key)), purges_(purges) {}
  ~cache_fill() { end(fill_outcome::failed); }
  cache_fill(cache_fill&& other) noexcept { *this = std::move(other); }
  cache_fill& operator=(cache_fill&& other) noexcept;

  explicit operator bool() const noexcept { return store_ != nullptr; }

  /// cache_store::purges() when it began.
  uint64_t purges() const noexcept { return purges_; }

  /// Tells all who wait. Once.
  void end(fill_outcome outcome);

private:
  std::shared_ptr<cache_store> store_;
  std::string key_;
  uint64_t purges_ = 0;
};

/// Any thread.
class cache_store : public std::enable_shared_from_this<cache_store> {
public:
  static constexpr size_t shards = 16;

  /// Told on any thread.
  using follower = std::function<void(fill_outcome outcome)>;

  cache_store(const cache_limits& limits, const cache_books& books);
  ~cache_store();

  const cache_limits& limits() const noexcept { return limits_; }

  struct found {
    cache_entry_ptr entry;   ///< null: none that matches
    bool has_others = false; ///< something is stored for the key
  };

  /// The newest entry that answers a request with these fields.
  found find(std::string_view key, const field_list& request);

  /// A number that tells later what was purged since.
  uint64_t purges() const noexcept { return purges_.load(); }

  /// Takes in an entry, in the place of those that match the same requests.
  /// @param since purges() when the request for it went out
  /// @returns whether it was stored: not if it is too large or was purged meanwhile
  bool insert(std::string_view key, cache_entry_ptr entry, uint64_t since);

  /// Forgets one response, as long as it is still that one.
  void erase(std::string_view key, const cache_entry_ptr& entry);

  /// Forgets what is meant. @returns how many responses
  size_t purge(const cache_purge& what);

  /// The same for keys that a request with effects has made invalid.
  void invalidate(const std::vector<std::string>& keys);

  /// Begins a fetch, or waits for that of another: then `wait` is called once, unless leave() was
  /// faster.
  /// @param ticket set if it waits, to be given to leave()
  /// @returns empty if it waits
  cache_fill join(const std::string& key, follower wait, uint64_t& ticket);

  /// Waits no more. An unknown ticket is fine: the call is on its way then.
  void leave(const std::string& key, uint64_t ticket);

  /// Begins a fetch if nobody is at it. @returns else empty
  cache_fill try_begin(const std::string& key);

  /// Whether answers for `key` were for one a moment ago: nobody has to wait for another's.
  bool is_private(std::string_view key, steady::time_point now) const;

  /// Answers for `key` were for one: is_private() says so until then.
  void note_private(std::string_view key, steady::time_point until);

  /// Bytes that are stored, with metadata.
  uint64_t bytes() const noexcept { return bytes_.load(); }

  /// Stored responses.
  uint64_t size() const noexcept { return entries_.load(); }

private:
  friend class cache_fill;

  struct resource;
  struct shard;
  struct purge_log;
  struct change;

  void count(const change& what);
  shard& shard_of(std::string_view key) const;
  void end_fill(const std::string& key, fill_outcome outcome);
  void shrink(size_t from);
  size_t purge_tag(const std::string& tag);
  size_t purge_keys(const cache_purge& what);
  bool purged_since(uint64_t since, std::string_view key, const cache_entry& entry) const;

  cache_limits limits_;
  cache_books books_;
  std::vector<std::unique_ptr<shard>> shards_;
  std::unique_ptr<purge_log> log_;
  std::atomic<uint64_t> purges_{0};
  std::atomic<uint64_t> bytes_{0};
  std::atomic<uint64_t> entries_{0};
};

} // namespace caf_app::http

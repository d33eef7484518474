#include "actors/http/cache_store.hpp"

#include <algorithm>

#include "actors/http/cache_policy.hpp"
#include "actors/http/cache_shard.hpp"

namespace caf_app::http {

namespace {

constexpr size_t privates_max = 1024; // per shard; forgotten together, which costs a wait each

} // namespace

cache_fill& cache_fill::operator=(cache_fill&& other) noexcept {
  if (this == &other)
    return *this;
  end(fill_outcome::failed);
  store_ = std::move(other.store_);
  key_ = std::move(other.key_);
  purges_ = other.purges_;
  return *this;
}

void cache_fill::end(fill_outcome outcome) {
  if (const auto store = std::exchange(store_, nullptr))
    store->end_fill(key_, outcome);
}

cache_books::cache_books(metrics& registry)
    : bytes(registry.gauge("caf_http_cache_bytes", "Stored responses with their metadata.")),
      entries(registry.gauge("caf_http_cache_entries", "Stored responses.")),
      evictions(registry.counter("caf_http_cache_evictions_total",
                                 "Stored responses that made room for others.")) {}

cache_store::cache_store(const cache_limits& limits, const cache_books& books)
    : limits_(limits), books_(books), log_(std::make_unique<purge_log>()) {
  for (size_t i = 0; i < shards; ++i)
    shards_.push_back(std::make_unique<shard>());
}

cache_store::~cache_store() {
  books_.bytes.sub(static_cast<int64_t>(bytes_.load()));
  books_.entries.sub(static_cast<int64_t>(entries_.load()));
}

void cache_store::count(const change& what) {
  bytes_ += static_cast<uint64_t>(what.bytes); // modulo 2^64
  entries_ += static_cast<uint64_t>(what.entries);
  books_.bytes.add(what.bytes);
  books_.entries.add(what.entries);
}

cache_store::shard& cache_store::shard_of(std::string_view key) const {
  return *shards_[(std::hash<std::string_view>{}(key) >> 7) % shards];
}

cache_store::found cache_store::find(std::string_view key, const field_list& request) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  const auto i = home.by_hash.find(key);
  if (i == home.by_hash.end())
    return {};
  const auto where = i->second;
  for (const auto& entry : where->variants)
    if (entry->vary.empty() || matches(*entry, request)) {
      home.order.splice(home.order.begin(), home.order, where);
      return {entry, true};
    }
  return {nullptr, !where->variants.empty()};
}

bool cache_store::insert(std::string_view key, cache_entry_ptr entry, uint64_t since) {
  if ((entry->body && entry->body->size() > limits_.object_max) ||
      entry->bytes() + key.size() + resource::overhead > limits_.bytes_max)
    return false;
  auto& home = shard_of(key);
  {
    const std::lock_guard guard{home.mutex};
    // Below the lock: a purge that comes later finds the entry here.
    if (purges_.load() != since && purged_since(since, key, *entry))
      return false;
    count(home.put(key, std::move(entry), limits_.variants_max));
    if (const auto i = home.privates.find(key); i != home.privates.end())
      home.privates.erase(i);
  }
  if (bytes_.load() > limits_.bytes_max)
    shrink(std::hash<std::string_view>{}(key) >> 7);
  return true;
}

// Takes turns, beginning at the shard that has grown.
void cache_store::shrink(size_t from) {
  for (size_t i = 0; i < shards && bytes_.load() > limits_.bytes_max; ++i) {
    auto& each = *shards_[(from + i) % shards];
    const std::lock_guard guard{each.mutex};
    while (!each.order.empty() && bytes_.load() > limits_.bytes_max) {
      // What was just put in stays as long as others can make room.
      if (i == 0 && each.order.size() == 1 && entries_.load() > each.order.front().variants.size())
        break;
      const auto gone = each.drop(std::prev(each.order.end()));
      count(gone);
      books_.evictions.add(static_cast<uint64_t>(-gone.entries));
    }
  }
}

void cache_store::erase(std::string_view key, const cache_entry_ptr& entry) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  const auto i = home.by_hash.find(key);
  if (i == home.by_hash.end())
    return;
  const auto where = i->second;
  const auto at = std::find(where->variants.begin(), where->variants.end(), entry);
  if (at == where->variants.end())
    return;
  const auto index = static_cast<size_t>(at - where->variants.begin());
  count(where->variants.size() == 1 ? home.drop(where) : home.drop_variant(where, index));
}

// -- fetches -------------------------------------------------------------------------------------

cache_fill cache_store::join(const std::string& key, follower wait, uint64_t& ticket) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  const auto [i, is_first] = home.fills.try_emplace(key);
  if (is_first)
    return {shared_from_this(), key, purges_.load()};
  ticket = ++home.tickets;
  i->second.waiters.push_back({ticket, std::move(wait)});
  return {};
}

cache_fill cache_store::try_begin(const std::string& key) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  if (!home.fills.try_emplace(key).second)
    return {};
  return {shared_from_this(), key, purges_.load()};
}

void cache_store::leave(const std::string& key, uint64_t ticket) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  if (const auto i = home.fills.find(key); i != home.fills.end())
    std::erase_if(i->second.waiters, [&](const auto& each) { return each.ticket == ticket; });
}

void cache_store::end_fill(const std::string& key, fill_outcome outcome) {
  auto& home = shard_of(key);
  shard::fill ended;
  {
    const std::lock_guard guard{home.mutex};
    const auto i = home.fills.find(key);
    if (i == home.fills.end())
      return;
    ended = std::move(i->second);
    home.fills.erase(i);
  }
  for (const auto& each : ended.waiters)
    each.call(outcome);
}

bool cache_store::is_private(std::string_view key, steady::time_point now) const {
  const auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  const auto i = home.privates.find(key);
  return i != home.privates.end() && now < i->second;
}

void cache_store::note_private(std::string_view key, steady::time_point until) {
  auto& home = shard_of(key);
  const std::lock_guard guard{home.mutex};
  if (home.privates.size() >= privates_max)
    home.privates.clear();
  home.privates.insert_or_assign(std::string{key}, until);
}

} // namespace caf_app::http

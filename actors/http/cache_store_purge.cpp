// How a cache_store forgets on demand.
#include <algorithm>

#include "actors/http/cache_policy.hpp"
#include "actors/http/cache_shard.hpp"

namespace caf_app::http {

// First the log, then the shards: a fetch that ends in between sees one or the other.
size_t cache_store::purge(const cache_purge& what) {
  {
    const std::lock_guard guard{log_->mutex};
    log_->last.emplace_back(++purges_, what);
    if (log_->last.size() > purge_log::kept_max)
      log_->last.pop_front();
  }
  return what.what == cache_purge::kind::tag ? purge_tag(what.target) : purge_keys(what);
}

void cache_store::invalidate(const std::vector<std::string>& keys) {
  for (const auto& key : keys) {
    const auto parts = parts_of_key(key);
    cache_purge one;
    one.target = parts.target;
    one.authority = parts.authority;
    {
      const std::lock_guard guard{log_->mutex};
      log_->last.emplace_back(++purges_, std::move(one));
      if (log_->last.size() > purge_log::kept_max)
        log_->last.pop_front();
    }
    auto& home = shard_of(key);
    const std::lock_guard guard{home.mutex};
    const auto i = home.by_hash.find(key);
    if (i == home.by_hash.end())
      continue;
    count(home.drop(i->second));
  }
}

size_t cache_store::purge_tag(const std::string& tag) {
  int64_t gone = 0;
  for (const auto& each : shards_) {
    const std::lock_guard guard{each->mutex};
    const auto tagged = each->by_tag.find(tag);
    if (tagged == each->by_tag.end())
      continue;
    const std::vector<resource*> all{tagged->second.begin(), tagged->second.end()};
    for (auto* which : all) {
      const auto where = each->by_hash.find(which->key)->second;
      change sum;
      for (size_t i = where->variants.size(); i-- > 0;) {
        const auto& tags = where->variants[i]->tags;
        if (std::find(tags.begin(), tags.end(), tag) == tags.end())
          continue;
        sum += each->drop_variant(where, i);
      }
      if (where->variants.empty())
        sum += each->drop(where);
      count(sum);
      gone -= sum.entries;
    }
  }
  return static_cast<size_t>(gone);
}

size_t cache_store::purge_keys(const cache_purge& what) {
  int64_t gone = 0;
  for (const auto& each : shards_) {
    const std::lock_guard guard{each->mutex};
    auto i = each->by_order.lower_bound(what.target);
    while (i != each->by_order.end() && i->first.starts_with(what.target)) {
      const auto where = (i++)->second; // dropping takes it out of the index
      if (!what.means(where->key))
        continue;
      const auto sum = each->drop(where);
      count(sum);
      gone -= sum.entries;
    }
  }
  return static_cast<size_t>(gone);
}

bool cache_store::purged_since(uint64_t since, std::string_view key,
                               const cache_entry& entry) const {
  const std::lock_guard guard{log_->mutex};
  if (log_->last.empty() || log_->last.front().first > since + 1)
    return true; // who knows
  return std::any_of(log_->last.begin(), log_->last.end(), [&](const auto& each) {
    const auto& [number, what] = each;
    const auto is_tag = what.what == cache_purge::kind::tag;
    return number > since && (is_tag ? std::find(entry.tags.begin(), entry.tags.end(),
                                                 what.target) != entry.tags.end()
                                     : what.means(key));
  });
}

} // namespace caf_app::http

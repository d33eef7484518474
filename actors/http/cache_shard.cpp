#include "actors/http/cache_shard.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

// They answer the same requests: the newer one replaces the older.
bool same_variant(const cache_entry& one, const cache_entry& other) {
  return one.vary == other.vary;
}

} // namespace

void cache_store::shard::index_tags(resource& which, const cache_entry& entry) {
  for (const auto& tag : entry.tags)
    by_tag[tag].insert(&which);
}

void cache_store::shard::forget_tags(resource& which, const cache_entry& entry) {
  for (const auto& tag : entry.tags) {
    const auto still = std::any_of(
        which.variants.begin(), which.variants.end(), [&](const cache_entry_ptr& other) {
          return other.get() != &entry &&
                 std::find(other->tags.begin(), other->tags.end(), tag) != other->tags.end();
        });
    const auto i = by_tag.find(tag);
    if (still || i == by_tag.end())
      continue;
    i->second.erase(&which);
    if (i->second.empty())
      by_tag.erase(i);
  }
}

cache_store::change cache_store::shard::put(std::string_view key, cache_entry_ptr entry,
                                            size_t variants_max) {
  change result;
  auto i = by_hash.find(key);
  if (i == by_hash.end()) {
    order.push_front({std::string{key}, {}, resource::overhead + key.size()});
    i = by_hash.emplace(order.front().key, order.begin()).first;
    by_order.emplace(order.front().key, order.begin());
    result.bytes += static_cast<int64_t>(order.front().bytes);
  }
  const auto where = i->second;
  auto& variants = where->variants;
  for (size_t at = 0; at < variants.size(); ++at)
    if (same_variant(*variants[at], *entry)) {
      result += drop_variant(where, at);
      break;
    }
  while (variants.size() >= variants_max)
    result += drop_variant(where, variants.size() - 1);
  const auto bytes = entry->bytes();
  where->bytes += bytes;
  index_tags(*where, *entry);
  variants.insert(variants.begin(), std::move(entry));
  order.splice(order.begin(), order, where);
  return result += {static_cast<int64_t>(bytes), 1};
}

// The resource stays, maybe without a variant.
cache_store::change cache_store::shard::drop_variant(place where, size_t index) {
  const auto entry = where->variants[index];
  const auto bytes = entry->bytes();
  forget_tags(*where, *entry);
  where->variants.erase(where->variants.begin() + static_cast<ptrdiff_t>(index));
  where->bytes -= bytes;
  return {-static_cast<int64_t>(bytes), -1};
}

cache_store::change cache_store::shard::drop(place where) {
  const change result{-static_cast<int64_t>(where->bytes),
                      -static_cast<int64_t>(where->variants.size())};
  for (const auto& entry : where->variants)
    for (const auto& tag : entry->tags)
      if (const auto i = by_tag.find(tag); i != by_tag.end()) {
        i->second.erase(&*where);
        if (i->second.empty())
          by_tag.erase(i);
      }
  by_hash.erase(where->key);
  by_order.erase(where->key);
  order.erase(where);
  return result;
}

} // namespace caf_app::http

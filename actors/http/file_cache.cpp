#include "actors/http/file_cache.hpp"

namespace caf_app::http {

file_entry_ptr file_cache::find(std::string_view key, steady::time_point now) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end() || now - found->second->checked >= options_.age_max)
    return nullptr;
  if (found->second != slots_.begin())
    slots_.splice(slots_.begin(), slots_, found->second);
  return found->second->entry;
}

file_entry_ptr file_cache::insert(std::string_view key, file_entry_ptr fresh,
                                  steady::time_point now) {
  if (const auto old = by_key_.find(key); old != by_key_.end()) {
    if (old->second->entry->same_as(*fresh)) {
      old->second->checked = now;
      slots_.splice(slots_.begin(), slots_, old->second);
      return old->second->entry;
    }
    drop(old->second);
  }
  const auto bytes = fresh->memory();
  slots_.push_front({std::string{key}, fresh, now, bytes});
  by_key_.emplace(slots_.front().key, slots_.begin());
  bytes_ += bytes;
  shrink();
  return fresh;
}

void file_cache::grown(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end())
    return;
  auto& slot = *found->second;
  bytes_ -= slot.bytes;
  slot.bytes = slot.entry->memory();
  bytes_ += slot.bytes;
  shrink();
}

void file_cache::erase(std::string_view key) {
  if (const auto found = by_key_.find(key); found != by_key_.end())
    drop(found->second);
}

void file_cache::clear() {
  by_key_.clear();
  slots_.clear();
  bytes_ = 0;
}

void file_cache::drop(place which) {
  bytes_ -= which->bytes;
  by_key_.erase(which->key);
  slots_.erase(which);
}

// The last one stays in any case: its request needs it.
void file_cache::shrink() {
  while (slots_.size() > 1 && (slots_.size() > options_.entries_max || bytes_ > options_.bytes_max))
    drop(std::prev(slots_.end()));
}

bool file_cache::join(std::string_view key, waiter wait) {
  auto place = waiting_.find(key);
  const auto first = place == waiting_.end();
  if (first)
    place = waiting_.emplace(std::string{key}, std::vector<waiter>{}).first;
  place->second.push_back(std::move(wait));
  return first;
}

void file_cache::settle(std::string_view key, const found& result) {
  const auto place = waiting_.find(key);
  if (place == waiting_.end())
    return;
  const auto all = std::move(place->second);
  waiting_.erase(place);
  for (const auto& wait : all)
    wait(result);
}

} // namespace caf_app::http

#include "actors/http/fastcgi_script.hpp"

namespace caf_app::http {

const fastcgi_script* fastcgi_script_cache::find(std::string_view key, steady::time_point now) {
  const auto i = entries_.find(key);
  if (i == entries_.end())
    return nullptr;
  const auto where = i->second;
  if (now - where->found_at >= age_max) {
    entries_.erase(i);
    order_.erase(where);
    return nullptr;
  }
  order_.splice(order_.begin(), order_, where);
  return &where->script;
}

void fastcgi_script_cache::insert(std::string_view key, const fastcgi_script& script,
                                  steady::time_point now) {
  if (script.kind != fastcgi_script::outcome::found)
    return;
  if (const auto i = entries_.find(key); i != entries_.end()) {
    const auto where = i->second;
    entries_.erase(i);
    order_.erase(where);
  }
  order_.push_front({std::string{key}, script, now});
  entries_.emplace(order_.front().key, order_.begin());
  if (order_.size() > entries_max) {
    entries_.erase(order_.back().key);
    order_.pop_back();
  }
}

} // namespace caf_app::http

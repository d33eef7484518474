#include "nodes/restart_keys.hpp"

#include <algorithm>
#include <set>

#include "nodes/config_place.hpp"

namespace caf_app {

namespace {

bool same(const config_value* x, const config_value* y);

bool same_members(const config_value::table& x, const config_value::table& y) {
  return x.size() == y.size() && std::all_of(x.begin(), x.end(), [&](const config_member& one) {
           const auto other = std::find_if(
               y.begin(), y.end(), [&](const config_member& each) { return each.key == one.key; });
           return other != y.end() && same(&one.value, &other->value);
         });
}

/// Null is what is not written. Positions do not count.
bool same(const config_value* x, const config_value* y) {
  if (!x || !y)
    return x == y;
  if (x->data.index() != y->data.index())
    return false;
  if (const auto* members = x->as_table())
    return same_members(*members, *y->as_table());
  if (const auto* elements = x->as_array())
    return std::equal(elements->begin(), elements->end(), y->as_array()->begin(),
                      y->as_array()->end(),
                      [](const auto& one, const auto& other) { return same(&one, &other); });
  const auto equal = [&](auto type) {
    const auto* one = x->as<decltype(type)>();
    return one && *one == *y->as<decltype(type)>();
  };
  return equal(false) || equal(int64_t{}) || equal(double{}) || equal(std::string{}) ||
         x->as<config_value::date>();
}

using key_set = std::set<std::string>;

/// Every key of `section` that differs, but those of `others`.
void compare_all(const config_value& running, const config_value& fresh, const std::string& section,
                 const key_set& others, key_set& out) {
  key_set keys;
  for (const auto* file : {&running, &fresh})
    if (const auto* table = file->find(section); table && table->as_table())
      for (const auto& member : *table->as_table())
        keys.insert(member.key);
  for (const auto& key : keys) {
    const auto path = section + "." + key;
    if (!others.count(key) && !same(find_at(&running, path), find_at(&fresh, path)))
      out.insert(path);
  }
}

const config_value* entry_of(const config_value& file, const std::string& node) {
  const auto* list = file.find("node");
  if (list && list->as_array())
    for (const auto& entry : *list->as_array())
      if (const auto* name = entry.find("name"); name && name->as<std::string>())
        if (*name->as<std::string>() == node)
          return &entry;
  return nullptr;
}

key_set names_in(const config_value& file) {
  key_set result;
  const auto* list = file.find("node");
  if (list && list->as_array())
    for (const auto& entry : *list->as_array())
      if (const auto* name = entry.find("name"); name && name->as<std::string>())
        result.insert(*name->as<std::string>());
  return result;
}

} // namespace

std::vector<std::string> restart_keys(const config_value& running, const config_value& fresh,
                                      const std::string& node) {
  key_set result;
  compare_all(running, fresh, "cluster", {"tls"},
              result); // links that come take those certificates
  if (!find_at(&running, "cluster.tls") != !find_at(&fresh, "cluster.tls"))
    result.insert("cluster.tls");
  for (const auto* section : {"log", "shutdown", "admin", "eval"})
    compare_all(running, fresh, section, {}, result);
  for (const std::string path : {"http.loops", "http.pin", "http.backlog", "http.access_log",
                                 "http.limits.drain_deadline", "scaler.enabled", "scaler.period"})
    if (!same(find_at(&running, path), find_at(&fresh, path)))
      result.insert(path);
  for (const std::string key : {"roles", "link", "link_listen", "admin"})
    if (!same(find_at(entry_of(running, node), key), find_at(entry_of(fresh, node), key)))
      result.insert("node." + key);
  auto nodes = names_in(running);
  nodes.merge(names_in(fresh));
  nodes.erase(node);
  for (const auto& other : nodes)
    if (!same(find_at(entry_of(running, other), "link"), find_at(entry_of(fresh, other), "link")))
      result.insert("node.link of " + other);
  return {result.begin(), result.end()};
}

} // namespace caf_app

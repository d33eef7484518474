#include "caf_app/cluster/member_table.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "caf_app/cluster/body_codec.hpp"

namespace caf_app {

namespace {

uint64_t fnv1a(uint64_t hash, std::string_view bytes) {
  for (const auto byte : bytes)
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
  return hash;
}

uint64_t smaller_above_zero(uint64_t a, uint64_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

member_record joined(const member_record& a, const member_record& b) {
  member_record both = a;
  both.state = std::max(a.state, b.state);
  both.order = smaller_above_zero(a.order, b.order);
  both.address = std::max(a.address, b.address);
  both.roles = std::max(a.roles, b.roles);
  both.caf_node = std::max(a.caf_node, b.caf_node);
  return both;
}

} // namespace

std::string to_string(member_state state) {
  switch (state) {
    case member_state::joining: return "joining";
    case member_state::up: return "up";
    case member_state::leaving: return "leaving";
    case member_state::left: return "left";
    case member_state::down: return "down";
  }
  return "unknown";
}

bool older(const member_record& a, const member_record& b) {
  return std::tie(a.order, a.id) < std::tie(b.order, b.id);
}

bool member_table::merge(const member_record& record) {
  if (record.id.name.empty() || !record.id.life || record.state < member_state::joining ||
      record.state > member_state::down)
    return false;
  const auto [known, fresh] = records_.emplace(record.id, record);
  if (!fresh) {
    auto both = joined(known->second, record);
    if (both == known->second)
      return false;
    known->second = std::move(both);
  }
  forget_old_lives(record.id.name);
  const auto before = digest_;
  changed();
  if (digest_ == before)
    return false;
  ++version_;
  return true;
}

std::vector<const member_record*> member_table::gone(const std::string& name) const {
  std::vector<const member_record*> list;
  for (auto i = records_.lower_bound({name, {}}); i != records_.end() && i->first.name == name; ++i)
    if (i->second.gone())
      list.push_back(&i->second);
  return list;
}

bool member_table::forgets(const std::string& name) const {
  return gone(name).size() >= limits::cluster::dead_incarnations_kept;
}

// Which lives are forgotten depends on the records alone, so nodes with equal records forget the
// same. The order of a life tells its age; lives that were never up hold nothing worth remembering.
void member_table::forget_old_lives(const std::string& name) {
  auto list = gone(name);
  if (list.size() <= limits::cluster::dead_incarnations_kept)
    return;
  std::sort(list.begin(), list.end(),
            [](const auto* a, const auto* b) { return older(*b, *a); }); // youngest first
  for (size_t i = limits::cluster::dead_incarnations_kept; i < list.size(); ++i)
    records_.erase(member_id{list[i]->id});
}

void member_table::changed() {
  uint64_t hash = 0xcbf29ce484222325;
  for (const auto& [id, record] : records_)
    hash = fnv1a(hash, body_bytes(record));
  digest_ = hash;
}

const member_record* member_table::find(const member_id& id) const {
  const auto i = records_.find(id);
  return i == records_.end() ? nullptr : &i->second;
}

const member_record* member_table::living(const std::string& name) const {
  const member_record* found = nullptr;
  for (auto i = records_.lower_bound({name, {}}); i != records_.end() && i->first.name == name; ++i)
    if (!i->second.gone() &&
        (found == nullptr ||
         (i->second.order != 0 && (found->order == 0 || older(i->second, *found)))))
      found = &i->second;
  return found;
}

std::vector<member_record> member_table::all() const {
  std::vector<member_record> list;
  for (const auto& [id, record] : records_)
    list.push_back(record);
  return list;
}

std::vector<const member_record*> member_table::up_by_age() const {
  std::vector<const member_record*> list;
  for (const auto& [id, record] : records_)
    if (record.state == member_state::up)
      list.push_back(&record);
  std::sort(list.begin(), list.end(), [](const auto* a, const auto* b) { return older(*a, *b); });
  return list;
}

uint64_t member_table::order_max() const {
  uint64_t highest = 0;
  for (const auto& [id, record] : records_)
    highest = std::max(highest, record.order);
  return highest;
}

} // namespace caf_app

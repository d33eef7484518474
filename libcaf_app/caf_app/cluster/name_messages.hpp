// What nodes tell each other about cluster names: the body of a names frame.
//
//   coordinator -> member  sync_request, table, changed, removed, denied, lost
//   member -> coordinator  claims (answers sync_request), claim, release
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <caf/meta/type_name.hpp>

#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

/// One cluster name. Of two entries for a name the one with the higher epoch is right.
struct name_entry {
  std::string name;
  member_id holder;
  uint64_t actor = 0; ///< id of the actor on the holder's node
  uint64_t claim = 0; ///< number of the holder's claim: a grant answers one claim, not a later one
  uint64_t epoch = 0; ///< 0: wanted, not granted

  bool operator==(const name_entry&) const = default;
};

/// What a names frame says. Numbers are part of the protocol.
enum class name_op : uint8_t {
  sync_request = 1, ///< I coordinate: tell me all that you hold and want
  claims,           ///< all that I hold (with epochs) and want (without)
  claim,            ///< I want this one
  release,          ///< I hold this one no more
  table,            ///< all names, replacing what you know
  changed,          ///< these have a new holder; yours are granted
  removed,          ///< these are free
  denied,           ///< two entries: who holds the name, and your claim that is refused
  lost,             ///< two entries: who holds the name, and your claim that has ended
};

/// The body of a names frame.
struct names_body {
  name_op op = name_op::sync_request;
  uint64_t token = 0; ///< of the coordinator's term; answers repeat it
  std::vector<name_entry> entries;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, name_entry& x) {
  return f(caf::meta::type_name("name_entry"), x.name, x.holder, x.actor, x.claim, x.epoch);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, names_body& x) {
  return f(x.op, x.token, x.entries);
}

} // namespace caf_app

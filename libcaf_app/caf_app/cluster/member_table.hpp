// All lives of all nodes that this node has heard of. Tables of different nodes are merged with
// merge(), which is commutative, associative and idempotent: whatever the order in which gossip
// arrives, nodes that have heard the same hold the same.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "caf_app/base/limits.hpp"
#include "caf_app/cluster/member_record.hpp"

namespace caf_app {

/// What one node knows. merge() is commutative, associative and idempotent, so that gossip
/// converges.
class member_table {
public:
  /// The later state, the smaller order above zero, the greater of everything else: the least upper
  /// bound of what is known and `record`. A record without a sensible state is ignored.
  /// @returns whether the table has changed
  bool merge(const member_record& record);

  /// @returns null if it was never heard of; valid until the next merge()
  const member_record* find(const member_id& id) const;

  /// The life of `name` that is not gone; of several the one that came up first.
  const member_record* living(const std::string& name) const;

  const std::map<member_id, member_record>& records() const noexcept { return records_; }

  /// Whether so many lives of `name` have ended that earlier ones may be forgotten.
  bool forgets(const std::string& name) const;

  /// A copy of all records, by id.
  std::vector<member_record> all() const;

  /// Members that are up, oldest first.
  std::vector<const member_record*> up_by_age() const;

  /// The greatest order of all, gone ones included.
  uint64_t order_max() const;

  /// Equal for equal tables, and for different ones only by a rare accident.
  uint64_t digest() const noexcept { return digest_; }

  /// Counts the changes of this table.
  uint64_t version() const noexcept { return version_; }

private:
  std::vector<const member_record*> gone(const std::string& name) const;
  void forget_old_lives(const std::string& name);
  void changed();

  std::map<member_id, member_record> records_;
  uint64_t digest_ = 0;
  uint64_t version_ = 0;
};

} // namespace caf_app

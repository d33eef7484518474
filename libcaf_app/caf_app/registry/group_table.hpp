// Groups and their members. Publishing walks a shared, immutable view, so that it needs the lock of
// the registry for a moment only; a change copies the members only if somebody walks them just now.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/actor_control_block.hpp>

#include "caf_app/messages/registry.hpp"

namespace caf_app {

/// Not thread safe, but for the views.
class group_table {
public:
  using member_list = std::vector<caf::strong_actor_ptr>;
  using view = std::shared_ptr<const member_list>;

  /// @returns whether `member` is new in `group`
  bool insert(std::string_view group, const caf::strong_actor_ptr& member);

  /// Takes a member out; the last one takes the group with it. The caller holds a reference to it.
  /// @returns whether it was one
  bool erase(std::string_view group, const caf::actor_control_block* member);

  /// @returns the members as they are now, null if there are none
  view members(std::string_view group) const;

  /// @returns groups that begin with `prefix`, sorted, with their members in ascending order
  std::vector<group_info> list(std::string_view prefix) const;

private:
  struct group {
    std::shared_ptr<member_list> members = std::make_shared<member_list>();
    std::unordered_map<const caf::actor_control_block*, size_t> index; // into members
  };

  struct text_hash {
    using is_transparent = void;
    size_t operator()(std::string_view x) const noexcept {
      return std::hash<std::string_view>{}(x);
    }
  };

  static member_list& writable(group& x);

  std::unordered_map<std::string, group, text_hash, std::equal_to<>> groups_;
};

} // namespace caf_app

// The fields of one message, in the order they came, with the known ones indexed. It is filled by a
// parser and reused from message to message, so that a request allocates nothing. RFC 9110 §5.2,
// §5.3.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "actors/http/field.hpp"

namespace caf_app::http {

class field_list {
public:
  /// Appends a line whose `id` is set.
  void push_back(const field& line) {
    const auto bit = uint64_t{1} << static_cast<unsigned>(line.id);
    if (present_ & bit)
      repeated_ |= bit;
    else
      first_[static_cast<size_t>(line.id)] = static_cast<uint16_t>(lines_.size());
    present_ |= bit;
    lines_.push_back(line);
  }

  /// Is there at least one line of this field?
  bool has(known_field id) const noexcept { return (present_ >> static_cast<unsigned>(id)) & 1u; }

  /// Are there two or more lines of this field?
  bool is_repeated(known_field id) const noexcept {
    return (repeated_ >> static_cast<unsigned>(id)) & 1u;
  }

  /// @returns the value of the first line of this field, empty if there is none
  std::string_view first(known_field id) const noexcept {
    return has(id) ? lines_[first_[static_cast<size_t>(id)]].value : std::string_view{};
  }

  /// @param name in lower case
  /// @returns the first line with this name in any case, nullptr if there is none
  const field* find(std::string_view name) const noexcept;

  /// Is `token` (lower case) an element of the list in any line of this field?
  bool has_token(known_field id, std::string_view token) const noexcept;

  std::span<const field> lines() const noexcept { return lines_; }
  size_t size() const noexcept { return lines_.size(); }
  auto begin() const noexcept { return lines_.begin(); }
  auto end() const noexcept { return lines_.end(); }

  /// Forgets all lines, keeps the memory.
  void clear() noexcept {
    lines_.clear();
    present_ = repeated_ = 0;
  }

  /// Forgets all lines and gives the memory back.
  void release() noexcept {
    clear();
    lines_ = {};
  }

  /// Makes all views, which lie within the bytes at `from`, point to the copy of them at `to`.
  void rebase(const char* from, const char* to) noexcept;

private:
  static_assert(known_field_count <= 64, "present_ and repeated_ have a bit per known field");

  std::vector<field> lines_;
  std::array<uint16_t, known_field_count> first_; // valid where present_ has the bit
  uint64_t present_ = 0;
  uint64_t repeated_ = 0;
};

} // namespace caf_app::http

// The open files of one loop: the last used ones, bounded in number and memory, each believed for a
// bounded time. Also joins requests for the same file, so that one search serves all who wait.
// Pure: what is searched and where is the caller's, time is an argument.
#pragma once

#include <functional>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "actors/http/file_entry.hpp"
#include "actors/http/file_limits.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

struct found;

/// Bounds of one loop.
struct file_cache_options {
  size_t entries_max = limits::http::open_files;
  uint64_t bytes_max = limits::http::file_cache_bytes;    ///< of memory, open files not counted
  steady::duration age_max = limits::http::open_file_age; ///< then it is looked at again
};

/// On its loop only.
class file_cache {
public:
  using waiter = std::function<void(const found& result)>;

  explicit file_cache(const file_cache_options& options = {}) : options_(options) {}

  /// @returns the entry of `key` if it was looked at less than `age_max` ago
  file_entry_ptr find(std::string_view key, steady::time_point now);

  /// Takes in what was found at `now`. If an entry of `key` is still the same on disk, that one
  /// stays, with what was computed from it.
  /// @returns the entry that counts
  file_entry_ptr insert(std::string_view key, file_entry_ptr fresh, steady::time_point now);

  /// To be called when memory was added to the entry of `key`.
  void grown(std::string_view key);

  void erase(std::string_view key);

  /// Closes all files that no response is using.
  void clear();

  /// Waits for the result of `key`. @returns true for the first one: it has to begin the search
  bool join(std::string_view key, waiter wait);

  /// Tells all who wait for `key`, in their order; some may wait anew.
  void settle(std::string_view key, const found& result);

  size_t size() const noexcept { return by_key_.size(); }
  uint64_t bytes() const noexcept { return bytes_; }

private:
  struct slot {
    std::string key;
    file_entry_ptr entry;
    steady::time_point checked;
    uint64_t bytes;
  };
  using place = std::list<slot>::iterator;

  struct string_hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  void drop(place which);
  void shrink();

  file_cache_options options_;
  uint64_t bytes_ = 0;
  std::list<slot> slots_;                              // last used first
  std::unordered_map<std::string_view, place> by_key_; // views of the slots
  std::unordered_map<std::string, std::vector<waiter>, string_hash, std::equal_to<>> waiting_;
};

} // namespace caf_app::http

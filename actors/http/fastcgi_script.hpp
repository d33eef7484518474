// Which script answers a path, and what of the path is left for it, as it was found on the disk;
// and the last findings of one loop, so that a busy script is looked for once per second.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "actors/http/fastcgi_limits.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

struct fastcgi_script {
  enum class outcome : uint8_t {
    found,
    not_found,
    directory, ///< asked for without its slash
    busy,      ///< no descriptor left
  };

  outcome kind = outcome::not_found;
  std::string name;      ///< below the root, without a slash in front
  std::string path_info; ///< decoded; empty or begins with '/'
};

/// Findings by key; the least recently used go first. Used on one loop.
class fastcgi_script_cache {
public:
  static constexpr size_t entries_max = limits::http::scripts_found;
  static constexpr auto age_max = limits::http::script_found_for;

  /// @returns null if it is not known, or was found too long ago; valid until the next call
  const fastcgi_script* find(std::string_view key, steady::time_point now);

  /// Only scripts that were found are worth it: anything else may be a client's invention.
  void insert(std::string_view key, const fastcgi_script& script, steady::time_point now);

  size_t size() const noexcept { return order_.size(); }

private:
  struct entry {
    std::string key;
    fastcgi_script script;
    steady::time_point found_at;
  };

  std::list<entry> order_; // most recently used first
  std::unordered_map<std::string_view, std::list<entry>::iterator> entries_; // views of order_
};

} // namespace caf_app::http

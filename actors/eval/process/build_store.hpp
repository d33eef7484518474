// The builds of a node on disk. One folder per build, named by its id; the salt of all ids beside
// them, so that ids and ready builds survive restarts.
//
//   ROOT/salt
//   ROOT/cache/...                 precompiled headers
//   ROOT/builds/ID/status.json     written by renaming, hence whole or not there
//   ROOT/builds/ID/...             what the builder makes (builder.hpp)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "actors/eval/build_status.hpp"

namespace caf_app::eval {

/// A part of a file.
struct file_piece {
  uint64_t total_bytes = 0; ///< of the file; 0 too if there is none
  std::string bytes;
};

/// Blocking, small files. One owner: it locks nothing.
class build_store {
public:
  /// Opens a store, made if it is not there. Builds that did not finish become failed: interrupted.
  /// @param fresh_salt becomes the salt of a new store; random bytes of the caller
  /// @returns the store, or which folder or file cannot be written and why
  static std::variant<build_store, std::string> open(std::string root, std::string_view fresh_salt);

  const std::string& salt() const noexcept { return salt_; }

  /// Another salt, shared by several nodes; the store's own stays for later.
  void use_salt(std::string salt) { salt_ = std::move(salt); }

  std::string folder_of(const std::string& id) const { return root_ + "/builds/" + id; }
  std::string cache_folder() const { return root_ + "/cache"; }

  /// Statuses of all builds, oldest first.
  std::vector<build_status> list() const;

  /// @param id may be anything: what has not the form of one is not found
  std::optional<build_status> find(const std::string& id) const;

  /// Reads from a build's driver and nothing before or after.
  /// @returns up to `bytes_max` from `offset` on, none at or after the end
  file_piece driver_piece(const std::string& id, uint64_t offset, size_t bytes_max) const;

  /// Keeps a status; makes the folder of its build. @returns false if it cannot be written
  bool put(const build_status& status);

  /// With everything in its folder; an unknown id is fine.
  void remove(const std::string& id);

  /// Notes that a build is in use: `evict` takes those unused for longest.
  void touch(const std::string& id);

  /// Removes finished builds, least recently used first, until at most `bytes_max` are taken.
  /// @param in_use ids that stay
  /// @returns the ids that went
  std::vector<std::string> evict(uint64_t bytes_max, const std::vector<std::string>& in_use);

private:
  build_store(std::string root, std::string salt);

  std::string root_;
  std::string salt_;
};

} // namespace caf_app::eval

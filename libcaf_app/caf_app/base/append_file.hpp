// A file that lines are appended to, by other processes as well. What a full disk, or the death of
// whoever wrote, has cut off within a line stays a line of its own: the next one is not glued to
// it. The owner says who uses it when; nothing here is locked.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>

namespace caf_app {

/// Owns a descriptor. Movable; one thread at a time.
class append_file {
public:
  /// What became of append().
  struct outcome {
    size_t bytes = 0; ///< of the lines, from their beginning, that are in the file now
    int error = 0;    ///< errno of what stopped it; 0: they are all there
  };

  /// Nothing is open: append() fails with EBADF.
  append_file() = default;

  /// Takes over a descriptor that appends; below zero: none.
  explicit append_file(int fd) noexcept : fd_(fd) {}

  /// Goes on with `path` or creates it with `mode`. @returns one that is not open, with errno set,
  /// if that failed
  static append_file open(const std::filesystem::path& path, mode_t mode);

  ~append_file();
  append_file(append_file&& other) noexcept;
  append_file& operator=(append_file&& other) noexcept;

  bool is_open() const noexcept { return fd_ >= 0; }

  /// @returns bytes in it; 0 for what is no file
  uint64_t size() const;

  /// Writes `lines`, each with its line end, as far as they fit. Blocks like write(2).
  outcome append(std::string_view lines);

private:
  bool ends_in_a_line() const;
  outcome put(std::string_view bytes);

  int fd_ = -1;
  bool sure_ = false; // that it ends in a whole line: nothing was cut off since somebody looked
  bool torn_ = false; // we have cut off a line ourselves, for what cannot be looked at
};

} // namespace caf_app

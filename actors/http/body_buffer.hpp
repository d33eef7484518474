// Content that somebody needs whole: in memory while it is small, else in an unlinked file, so that
// a few large uploads cannot take the memory of an instance.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caf_app::http {

class body_buffer {
public:
  /// @param memory_max bytes to keep in memory; beyond them all content moves to a file in the
  /// folder for temporary files
  explicit body_buffer(uint64_t memory_max) : memory_max_(memory_max) {}
  ~body_buffer();
  body_buffer(const body_buffer&) = delete;
  body_buffer& operator=(const body_buffer&) = delete;

  /// @returns false if the file could not be made or written (errno tells); the content is lost
  /// then
  bool append(std::span<const char> bytes);

  /// All of it, valid until the next append(); empty if mapping the file failed.
  std::string_view view();

  uint64_t size() const noexcept { return size_; }

  /// @returns whether the content is in a file
  bool spooled() const noexcept { return fd_ >= 0; }

private:
  bool spool();
  bool write_all(std::span<const char> bytes);
  void unmap();

  uint64_t memory_max_;
  uint64_t size_ = 0;
  std::string memory_;
  int fd_ = -1;
  void* mapped_ = nullptr;
  uint64_t mapped_size_ = 0;
};

} // namespace caf_app::http

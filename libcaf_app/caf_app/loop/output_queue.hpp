// Bytes and file ranges on their way to a socket, in order. The queue is only used once the
// kernel's buffer is full: a socket sends directly while the queue is empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

namespace caf_app {

/// An open file that several responses may share; closes it with the last reference.
class shared_file {
public:
  /// Takes over `fd`, a regular file open for reading.
  explicit shared_file(int fd) noexcept : fd_(fd) {}
  ~shared_file();
  shared_file(const shared_file&) = delete;
  shared_file& operator=(const shared_file&) = delete;

  int fd() const noexcept { return fd_; }

private:
  int fd_;
};

using shared_file_ptr = std::shared_ptr<const shared_file>;

/// What one socket still has to send. Not thread safe.
class output_queue {
public:
  /// What has ended a flush().
  enum class flush_result { empty, blocked, interrupted, failed, file_ended };

  /// Appends a copy of `bytes`.
  void push(std::string_view bytes);
  void push(const char* text) { push(std::string_view{text}); }

  /// Appends `bytes` without a copy.
  void push(std::string&& bytes);

  /// Appends `length` bytes of `file` from `offset` on; they are read when they are sent.
  void push(shared_file_ptr file, uint64_t offset, uint64_t length);

  /// Writes as much as the socket takes, but stops beyond limits::loop::write_bytes_per_event, with
  /// less than twice that: a peer that reads as fast as we write would otherwise keep the loop.
  /// After `blocked` the socket tells when to go on, after `interrupted` it is the others' turn.
  /// After `failed` errno tells why; after `file_ended` a file was shorter than promised, and what
  /// was sent cannot be completed.
  flush_result flush(int fd);

  bool empty() const noexcept { return segments_.empty(); }

  /// Bytes that wait, file ranges included.
  uint64_t size() const noexcept { return size_; }

  /// Bytes of memory that wait, file ranges not included.
  size_t memory() const noexcept { return memory_; }

  /// Drops all that waits, files too.
  void clear() noexcept;

private:
  struct segment {
    std::string bytes;
    size_t done = 0;
    shared_file_ptr file;
    uint64_t offset = 0;
    uint64_t length = 0;
  };

  flush_result flush_bytes(int fd);
  flush_result flush_file(int fd);
  void drop_sent(size_t sent);

  std::deque<segment> segments_;
  uint64_t size_ = 0;
  size_t memory_ = 0;
};

} // namespace caf_app

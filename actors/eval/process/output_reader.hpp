// Takes what child processes print, on a thread of its own, so that they never wait for whoever
// talks to them, and whoever keeps it decides how much of it stays.
#pragma once

#include <functional>
#include <string_view>
#include <thread>

#include "actors/eval/process/cancel_flag.hpp"
#include "actors/eval/process/child.hpp"

namespace caf_app::eval {

/// A pipe and its reader. Outlives the processes that print.
class output_reader {
public:
  /// @param take gets pieces of up to 64 KiB, on the reader's thread
  explicit output_reader(std::function<void(std::string_view)> take);

  /// Hands over what has been printed so far and ends, also if a process still prints.
  ~output_reader();
  output_reader(const output_reader&) = delete;
  output_reader& operator=(const output_reader&) = delete;

  /// What processes write to (child_options); -1 if there is no pipe.
  int fd() const noexcept { return write_end_.get(); }

private:
  void run();

  std::function<void(std::string_view)> take_;
  owned_fd read_end_;
  owned_fd write_end_;
  cancel_flag stop_;
  std::thread thread_; // last: runs on all of the above
};

} // namespace caf_app::eval

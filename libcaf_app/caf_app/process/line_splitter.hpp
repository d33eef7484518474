// Cuts the output of a process into lines, whatever pieces it arrives in. A line that never ends is
// cut at a limit, so a process cannot make its parent hold more. Pure.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "caf_app/base/limits.hpp"

namespace caf_app {

/// Lines of one stream.
class line_splitter {
public:
  /// @param line_bytes_max above zero; longer lines come in pieces of that size
  explicit line_splitter(size_t line_bytes_max = limits::process::line_bytes_max)
      : line_bytes_max_(line_bytes_max) {}

  /// Calls `on_line` for each line that `bytes` completes, without its line feed and without a
  /// carriage return before that. The view lives during the call.
  void feed(std::string_view bytes, const std::function<void(std::string_view)>& on_line);

  /// The stream ended: what is left is a line too.
  void finish(const std::function<void(std::string_view)>& on_line);

  /// @returns bytes of a line that is not complete yet, at most `line_bytes_max`
  size_t pending() const noexcept { return partial_.size(); }

private:
  size_t line_bytes_max_;
  std::string partial_;
};

} // namespace caf_app

#include "caf_app/process/line_splitter.hpp"

#include <algorithm>

namespace caf_app {

namespace {

std::string_view without_return(std::string_view line) {
  return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

} // namespace

void line_splitter::feed(std::string_view bytes,
                         const std::function<void(std::string_view)>& on_line) {
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    const auto room = line_bytes_max_ - partial_.size();
    const auto wanted = end == std::string_view::npos ? bytes.size() : end;
    const auto taken = std::min(wanted, room);
    partial_.append(bytes.substr(0, taken));
    bytes.remove_prefix(taken);
    if (taken == wanted && end != std::string_view::npos) {
      bytes.remove_prefix(1);
      on_line(without_return(partial_));
      partial_.clear();
    } else if (!bytes.empty()) { // the limit, and more of the same line
      on_line(partial_);
      partial_.clear();
    }
  }
}

void line_splitter::finish(const std::function<void(std::string_view)>& on_line) {
  if (!partial_.empty())
    on_line(without_return(partial_));
  partial_.clear();
}

} // namespace caf_app

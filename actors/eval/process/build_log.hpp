// The log of a build: a file that keeps its beginning, whatever the tools and the driver print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caf_app::eval {

/// One writer at a time; readers may look at the file while it grows.
class build_log {
public:
  /// @param path made with the first text, else appended to
  /// @param bytes_max of what is appended here: then one line says that the rest is cut
  build_log(std::string path, uint64_t bytes_max)
      : path_(std::move(path)), room_bytes_(bytes_max) {}

  /// Appends `text`, or as much of its beginning as there is room for. What the disk refuses is
  /// lost.
  void append(std::string_view text);

private:
  std::string path_;
  uint64_t room_bytes_;
  bool cut_ = false;
};

} // namespace caf_app::eval

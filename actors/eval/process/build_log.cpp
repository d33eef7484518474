#include "actors/eval/process/build_log.hpp"

#include <algorithm>
#include <fstream>

namespace caf_app::eval {

void build_log::append(std::string_view text) {
  if (cut_)
    return;
  std::ofstream file{path_, std::ios::binary | std::ios::app};
  const auto bytes = static_cast<size_t>(std::min<uint64_t>(text.size(), room_bytes_));
  file.write(text.data(), static_cast<std::streamsize>(bytes));
  room_bytes_ -= bytes;
  cut_ = bytes < text.size();
  if (cut_)
    file << "\n== the log is full: the rest is cut\n";
}

} // namespace caf_app::eval

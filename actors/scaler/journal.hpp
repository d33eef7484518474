// A file of lines that cannot grow without bound: two files, the older one with ".1" at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace caf_app::scaler {

class journal {
public:
  static constexpr uint64_t bytes_max = 4 << 20; ///< of each of the two files

  /// Goes on with the file if there is one. An empty path writes nothing.
  explicit journal(std::filesystem::path file);
  ~journal();
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;

  /// Appends a line. @returns false if it could not be written
  bool write(std::string_view line);

private:
  void open();

  std::filesystem::path file_;
  int fd_ = -1;
  uint64_t bytes_ = 0;
};

} // namespace caf_app::scaler

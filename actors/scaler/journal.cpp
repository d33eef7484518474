#include "actors/scaler/journal.hpp"

#include <string>

namespace caf_app::scaler {

namespace {

constexpr mode_t journal_mode = 0600;

append_file open_at(const std::filesystem::path& path) {
  return path.empty() ? append_file{} : append_file::open(path, journal_mode);
}

} // namespace

journal::journal(std::filesystem::path file) : path_(std::move(file)), file_(open_at(path_)) {}

bool journal::write(std::string_view line) {
  if (!file_.is_open())
    return path_.empty();
  const auto size = file_.size();
  if (size + line.size() + 1 > bytes_max && size > 0) {
    std::error_code ignored; // then it goes on in the same file
    std::filesystem::rename(path_, path_.string() + ".1", ignored);
    file_ = open_at(path_);
  }
  return file_.append(std::string{line} + '\n').error == 0;
}

} // namespace caf_app::scaler

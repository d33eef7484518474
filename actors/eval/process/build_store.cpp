#include "actors/eval/process/build_store.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include <fcntl.h>
#include <sys/stat.h>

#include "actors/eval/build_id.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> content_of(const fs::path& path) {
  std::ifstream file{path, std::ios::binary};
  if (!file)
    return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writes a file so that a reader finds the old or the new content, never half of it.
bool replace_file(const fs::path& path, std::string_view content) {
  const auto temporary = path.string() + ".new";
  {
    std::ofstream file{temporary, std::ios::binary | std::ios::trunc};
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    if (!file.flush().good())
      return false;
  }
  std::error_code ec;
  fs::rename(temporary, path, ec);
  return !ec;
}

uint64_t bytes_below(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code ec;
  for (auto& entry : fs::recursive_directory_iterator{folder, ec})
    if (entry.is_regular_file(ec))
      bytes += entry.file_size(ec);
  return bytes;
}

} // namespace

build_store::build_store(std::string root, std::string salt)
    : root_(std::move(root)), salt_(std::move(salt)) {}

std::variant<build_store, std::string> build_store::open(std::string root,
                                                         std::string_view fresh_salt) {
  std::error_code ec;
  for (auto folder : {"/builds", "/cache"}) {
    fs::create_directories(root + folder, ec);
    if (ec)
      return root + folder + ": " + ec.message();
  }
  auto salt = content_of(root + "/salt");
  if (!salt) {
    if (!replace_file(root + "/salt", fresh_salt))
      return root + "/salt cannot be written";
    ::chmod((root + "/salt").c_str(), 0600);
    salt = fresh_salt;
  }
  build_store store{std::move(root), std::move(*salt)};
  for (auto& status : store.list())
    if (is_unfinished(status.state)) {
      status.state = build_state::failed;
      status.error = "interrupted";
      store.put(status);
    }
  return store;
}

std::optional<build_status> build_store::find(const std::string& id) const {
  if (!is_build_id(id)) // ids come from clients and become paths
    return std::nullopt;
  auto text = content_of(folder_of(id) + "/status.json");
  if (!text)
    return std::nullopt;
  auto value = read_json(*text, json_depth_max + envelope_depth_max);
  auto record = std::get_if<json>(&value);
  return record ? read_record(*record) : std::nullopt;
}

std::vector<build_status> build_store::list() const {
  std::vector<build_status> result;
  std::error_code ec;
  for (auto& entry : fs::directory_iterator{root_ + "/builds", ec})
    if (auto status = find(entry.path().filename().string()))
      result.push_back(std::move(*status));
  std::sort(result.begin(), result.end(), [](auto& a, auto& b) {
    return std::tie(a.created_ms, a.id) < std::tie(b.created_ms, b.id);
  });
  return result;
}

bool build_store::put(const build_status& status) {
  const auto folder = folder_of(status.id);
  std::error_code ec;
  fs::create_directories(folder, ec);
  return replace_file(folder + "/status.json", to_text(to_record(status)));
}

file_piece build_store::driver_piece(const std::string& id, uint64_t offset,
                                     size_t bytes_max) const {
  file_piece result;
  if (!is_build_id(id)) // as in find
    return result;
  std::ifstream file{folder_of(id) + "/driver", std::ios::binary | std::ios::ate};
  if (!file)
    return result;
  result.total_bytes = static_cast<uint64_t>(file.tellg());
  const auto rest = result.total_bytes - std::min(offset, result.total_bytes);
  result.bytes.resize(static_cast<size_t>(std::min<uint64_t>(rest, bytes_max)));
  file.seekg(static_cast<std::streamoff>(result.total_bytes - rest));
  file.read(result.bytes.data(), static_cast<std::streamsize>(result.bytes.size()));
  result.bytes.resize(static_cast<size_t>(file.gcount()));
  return result;
}

void build_store::remove(const std::string& id) {
  std::error_code ec;
  if (is_build_id(id))
    fs::remove_all(folder_of(id), ec);
}

void build_store::touch(const std::string& id) {
  if (is_build_id(id))
    ::utimensat(AT_FDCWD, folder_of(id).c_str(), nullptr, 0);
}

std::vector<std::string> build_store::evict(uint64_t bytes_max,
                                            const std::vector<std::string>& in_use) {
  struct candidate {
    fs::file_time_type used;
    uint64_t bytes;
    std::string id;
  };
  std::vector<candidate> candidates;
  uint64_t total = 0;
  std::error_code ec;
  for (auto& status : list()) {
    const auto bytes = bytes_below(folder_of(status.id));
    total += bytes;
    if (!is_unfinished(status.state) &&
        std::find(in_use.begin(), in_use.end(), status.id) == in_use.end())
      candidates.push_back({fs::last_write_time(folder_of(status.id), ec), bytes, status.id});
  }
  std::sort(candidates.begin(), candidates.end(),
            [](auto& a, auto& b) { return std::tie(a.used, a.id) < std::tie(b.used, b.id); });
  std::vector<std::string> gone;
  for (auto& one : candidates) {
    if (total <= bytes_max)
      break;
    remove(one.id);
    total -= one.bytes;
    gone.push_back(one.id);
  }
  return gone;
}

} // namespace caf_app::eval

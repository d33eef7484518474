#include "caf_app/base/config.hpp"

#include <algorithm>
#include <fstream>

#include "caf_app/base/config_override.hpp"
#include "caf_app/base/config_schema.hpp"
#include "caf_app/base/config_toml.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"
#include "caf_app/base/units.hpp"

namespace caf_app {

namespace {

/// @returns the bytes of `path`, at most one more than allowed
caf::expected<std::string> read_file(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) {
    return caf::make_error(errc::invalid_config, path.string() + ": " + why);
  };
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed))
    return refuse(failed ? "cannot be read: " + failed.message() : "found no regular file");
  std::ifstream in{path, std::ios::binary};
  std::string text(limits::config::file_bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (in.fail() && !in.eof()))
    return refuse("cannot be read");
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

} // namespace

caf::expected<config_file> config_file::load(const std::filesystem::path& path,
                                             const std::vector<std::string>& overrides) {
  auto text = read_file(path);
  if (!text)
    return std::move(text.error());
  std::error_code ignored; // without a working directory paths stay relative
  const auto absolute = std::filesystem::absolute(path, ignored);
  return parse(*text, path.string(), absolute.parent_path(), overrides);
}

caf::expected<config_file> config_file::parse(std::string_view text, std::string source,
                                              std::filesystem::path folder,
                                              const std::vector<std::string>& overrides) {
  if (text.size() > limits::config::file_bytes_max)
    return caf::make_error(errc::invalid_config, source + ": expected at most " +
                                                     format_size(limits::config::file_bytes_max));
  auto root = parse_toml(text, source);
  if (!root)
    return std::move(root.error());
  for (const auto& option : overrides)
    if (auto refused = apply_override(*root, option))
      return refused;
  return config_file{std::move(*root), std::move(folder)};
}

caf::error config_file::finish() {
  refuse_unknown_keys(root_, "the file", known_, report_);
  return report_.to_error();
}

} // namespace caf_app

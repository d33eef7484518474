// Any text as a cluster file, through the TOML parser and the tables of [cluster], [[node]] and
// [http]: it is read or refused, a complaint says where, and reading does not depend on the run.
#include "caf_app/base/config.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/http_config.hpp"
#include "caf_app/base/assert.hpp"
#include "caf_app/base/cluster_config.hpp"
#include "caf_app/base/error.hpp"

using namespace caf_app;

namespace {

// Input: a file, then for each byte 1 an override of the command line.
struct parts {
  std::string_view text;
  std::vector<std::string> overrides;
};

parts split(std::string_view input) {
  constexpr size_t overrides_max = 4;
  const auto border = std::min(input.find('\1'), input.size());
  parts result{input.substr(0, border), {}};
  auto rest = input.substr(border);
  while (!rest.empty() && result.overrides.size() < overrides_max) {
    rest.remove_prefix(1);
    const auto end = std::min(rest.find('\1'), rest.size());
    result.overrides.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return result;
}

std::string read(const parts& input) {
  auto file = config_file::parse(input.text, "f.toml", "/", input.overrides);
  if (!file)
    return to_string(file.error());
  cluster_config cluster;
  http::http_config http;
  read_cluster_config(*file, cluster);
  file->read("http", http::http_config_rule(), http);
  const auto error = file->finish();
  if (!error) {
    for (const auto& node : cluster.nodes)
      CAF_APP_ASSERT(cluster.find_node(node.name) != nullptr);
    http::resolve_limits(http);
  }
  return error ? to_string(error) : "";
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto input = split({reinterpret_cast<const char*>(data), size});
  const auto complaint = read(input);
  CAF_APP_ASSERT(complaint.empty() || complaint.find("f.toml") != complaint.npos ||
                 complaint.find("--set") != complaint.npos);
  CAF_APP_ASSERT(read(input) == complaint);
  return 0;
}

// A whole cluster file as one node reads it: every section that exists, and what has to hold
// between them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "actors/eval/eval_config.hpp"
#include "actors/http/http_config.hpp"
#include "caf_app/base/cluster_config.hpp"

namespace caf_app {

struct node_config {
  cluster_config cluster;
  http::http_config_ptr http;
  eval::eval_config eval;
  const node_section* node = nullptr; ///< of this node; points into `cluster`
};

using node_config_ptr = std::shared_ptr<const node_config>;

/// @param overrides `--set` options, `key=value`
/// @param name of the node; empty: any, `node` stays null
/// @returns errc::invalid_config, one line per complaint: file, line, column, what was expected
caf::expected<node_config_ptr> read_node_config(const std::filesystem::path& file,
                                                const std::vector<std::string>& overrides,
                                                const std::string& name);

} // namespace caf_app

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
#include "actors/scaler/scaler_options.hpp"
#include "caf_app/base/cluster_config.hpp"

namespace caf_app {

/// Immutable, shared by pointer; a reload makes another one.
struct node_config {
  cluster_config cluster;
  http::http_config_ptr http;
  eval::eval_config eval;
  scaler::scaler_options scaler;
  const node_section* node = nullptr;          ///< of this node; points into `cluster`
  std::shared_ptr<const config_value> written; ///< the file
  std::string instance; ///< name of the instance that this process is; empty: the node itself
};

using node_config_ptr = std::shared_ptr<const node_config>;

/// @param overrides `--set` options, `key=value`
/// @param name of the node; empty: any, `node` stays null
/// @returns errc::invalid_config, one line per complaint: file, line, column, what was expected
caf::expected<node_config_ptr> read_node_config(const std::filesystem::path& file,
                                                const std::vector<std::string>& overrides,
                                                const std::string& name);

/// @returns whether the node runs an evaluator, or passes calls on to that of another node
bool has_evaluator(const cluster_config& config, const node_section& node);

/// @returns whether the instances of `node`, of this file, are looked after by the scalers of other
/// nodes: it has the role http, not the role scaler, and links to one that has it
bool is_lent(const cluster_config& config, const node_section& node);

/// @returns whether a scaler looks after the evaluator of `node`, of this file: its own, or that of
/// a node that it links to
bool is_scaled(const cluster_config& config, const node_section& node);

/// Scaling, and what it talks to, must go on when the loops of the web tier cannot keep up.
/// @returns whether the process runs a loop beside them for that
bool has_service_loop(const node_config& config);

/// The configuration of an extra web instance of `parent`'s node: role http only, no admin
/// listener, files of its own.
/// @returns errc::invalid_argument if `name` is not `<node>.<number>`, or the node has no role http
caf::expected<node_config_ptr> as_instance(const node_config& parent, const std::string& name);

} // namespace caf_app

// The JSON of the admin interface, made of what the books of a node say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <boost/json/value.hpp>

#include "caf_app/base/time.hpp"
#include "caf_app/cluster/cluster_desk.hpp"
#include "caf_app/loop/event_loop.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/messages/registry.hpp"
#include "caf_app/supervision/supervision_tree.hpp"

namespace caf_app {

/// What /v1/status tells.
struct node_status {
  std::string node;
  std::string state; ///< "serving" or "draining"
  std::vector<std::string> roles;
  std::vector<std::string> addresses; ///< that it serves at
  int64_t pid = 0;
  int64_t uptime_ms = 0;
  uint64_t connections = 0; ///< of clients, open
  uint64_t actors = 0;      ///< that run, as CAF counts them
  std::vector<loop_stats> loops;
};

/// What /v1/status, /v1/nodes, /v1/names and /v1/groups answer.
boost::json::value to_json(const node_status& status);
boost::json::value to_json(const cluster_view& cluster);
boost::json::value to_json(const std::vector<name_info>& names);
boost::json::value to_json(const std::vector<group_info>& groups);

/// What /v1/tree answers. @param now of the steady clock, for ages
boost::json::value to_json(const std::vector<tree_entry>& entries, steady::time_point now);

/// {"error": text, "code": word}
std::string error_json(const std::string& text, std::string_view code);

/// A request for an actor's JSON face out of what a person typed: an object with a text "method" is
/// that method with its "params"; any other JSON value is the params of "call".
/// @returns errc::invalid_argument if `text` is no JSON
caf::expected<json_request> request_of(const std::string& text);

/// The text of `member`, which is that of the object `text` with this name, as it was written:
/// boost::json keeps integers beyond 64 bits as floating point only.
std::string text_of_member(const std::string& text, std::string_view name,
                           const boost::json::value& member);

} // namespace caf_app

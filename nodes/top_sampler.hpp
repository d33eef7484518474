// Asks the nodes of a cluster, through the one that a client talks to, how they do, and compares
// with the last time.
#pragma once

#include <functional>
#include <map>

#include <caf/expected.hpp>

#include "caf_app/base/time.hpp"
#include "nodes/admin_client.hpp"
#include "nodes/top_view.hpp"
#include "nodes/web_digest.hpp"

namespace caf_app {

/// Blocks while it asks.
class top_sampler {
public:
  explicit top_sampler(const admin_client& client);

  /// Asks each node that is within reach; rates are those since the last call.
  /// @param now the steady clock
  /// @returns errc::io_failed if the client's own node does not answer
  caf::expected<top_view> look(const std::function<steady::time_point()>& now);

private:
  struct past {
    steady::time_point at;
    web_digest web;
  };

  void add_web(top_row& row, const admin_client& client,
               const std::function<steady::time_point()>& now);

  admin_client client_;
  std::map<std::string, past> before_; // by node: those of the last call
  std::map<std::string, past> seen_;   // by this one
};

} // namespace caf_app

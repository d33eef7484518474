// The admin interface of a node as an actor with an HTTP face. The control socket, the admin
// listener and caf-ctl all end here:
//
//   GET  /metrics /healthz /readyz /v1/status /v1/nodes /v1/names /v1/groups /v1/tree /v1/actors
//        /v1/scaler /v1/decisions
//   POST /v1/ask /v1/send /v1/publish /v1/watch /v1/kill /v1/drain /v1/reload
//        /v1/scale   (JSON in and out)
//
// With `?node=NAME` the request goes on to that node of the cluster (admin_forward.hpp).
//
// Over the control socket, whose file only its owner may open, everything is allowed. Over TCP a
// token is asked for if there is one; without one only loopback addresses are listened at.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/scaler/scaler_board.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/cluster/cluster_desk.hpp"
#include "caf_app/registry/named_actor.hpp"
#include "caf_app/registry/registry.hpp"
#include "caf_app/supervision/supervision_tree.hpp"
#include "nodes/admin_json.hpp"
#include "nodes/instance_metrics.hpp"

namespace caf_app {

/// What the interface shows and steers. The functions are called on the actor's thread and must not
/// block, but for `reload`.
struct admin_services {
  std::shared_ptr<registry> names;
  std::shared_ptr<supervision_tree> tree;
  metrics_ptr books;
  std::string token; ///< empty: none is asked for
  std::string node;  ///< whose interface this is
  std::function<node_status()> status;
  std::function<caf::error()> reload;
  std::function<void()> drain;
  std::function<cluster_view()> cluster;             ///< empty: the node is alone
  std::shared_ptr<scaler::scaler_board> scaler;      ///< null: the node scales nothing
  std::shared_ptr<scaler::scaler_board> eval_scaler; ///< null: its evaluator is not scaled
  std::shared_ptr<instance_metrics> instances;       ///< null: it has none
};

caf::behavior admin_actor(named_actor<"admin">* self,
                          std::shared_ptr<const admin_services> services);

} // namespace caf_app

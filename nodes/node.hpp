// One node, put together: the app with the parts that its roles ask for, its admin interface, and
// the order in which they stop.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <caf/error.hpp>

#include "actors/eval/eval_supervisor.hpp"
#include "actors/http/http_supervisor.hpp"
#include "caf_app/app.hpp"
#include "nodes/admin_json.hpp"
#include "nodes/node_cluster.hpp"
#include "nodes/node_config.hpp"
#include "nodes/node_eval_scaler.hpp"
#include "nodes/node_scaler.hpp"

namespace caf_app {

struct node_options {
  std::filesystem::path config_file;  ///< is read again at a reload
  std::vector<std::string> overrides; ///< `--set` options, `key=value`
  std::string name;                   ///< of the node in the file
  std::string entropy;                ///< at least 32 random bytes
  std::string instance; ///< `<node>.<number>`: an extra web instance of the node; empty: the node

  /// Children of the root that an application brings along; they start before the web tier.
  std::function<std::vector<child_spec>(app&)> application;
};

/// One per process. Used by main(); blocks.
class node {
public:
  /// Binds, starts and registers everything. @returns errc::start_failed, errc::invalid_config
  static caf::expected<std::unique_ptr<node>> start(node_options options, node_config_ptr config);

  /// Where it serves: web addresses first, then the admin listener.
  std::vector<std::string> addresses() const;

  /// Serves until a signal or `caf-ctl drain`. @returns the exit code of the process
  int run() { return app_->run(); }

private:
  node(node_options options, node_config_ptr config);

  caf::error start_cluster();
  caf::error start_eval();
  caf::error join_as_instance();
  caf::expected<node_config_ptr> read_config() const;
  const std::string& own_name() const;
  std::vector<event_loop*> service_loops() const;
  caf::error start_web();
  void start_scaler();
  caf::error start_admin();
  caf::error reload();       // logs what came of it
  caf::error apply_config(); // all of the file or nothing
  void tell_restart_keys(const node_config& fresh) const;
  node_status status() const;
  http::http_service_options service_options(std::string id) const;
  void add_phases();

  static inline const log_speaker speaker_{"node", 0};
  node_options options_;
  node_config_ptr config_;
  std::unique_ptr<app> app_;
  std::unique_ptr<node_cluster> cluster_;   ///< null without links
  std::shared_ptr<http::http_service> web_; ///< null without role http
  std::shared_ptr<http::http_service> admin_;
  std::shared_ptr<eval::evaluator> evaluator_;    ///< null without role eval or http
  std::unique_ptr<node_scaler> scaler_;           ///< null without role scaler
  std::unique_ptr<node_eval_scaler> eval_scaler_; ///< null if [scaler] is off
  std::vector<std::shared_ptr<scaler::scaler_board>> remote_boards_; ///< of instances elsewhere
  std::optional<shutdown_phase> leave_; ///< of an instance that has joined the cluster
  std::vector<child_spec> children_;
  steady::time_point started_;
};

} // namespace caf_app

#include "nodes/node_scaler.hpp"

#include <unistd.h>

#include <algorithm>

#include "actors/scaler/fleet_actor.hpp"
#include "actors/scaler/host_probe.hpp"
#include "actors/scaler/sample_json.hpp"
#include "actors/scaler/scaler_actor.hpp"
#include "actors/scaler/web_sensor_actor.hpp"
#include "caf_app/loop/reuseport_steer.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/named_child.hpp"
#include "nodes/node_cluster.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds stop_margin{5};

/// Tells `arguments` the ports that the system has picked.
void name_picked(const std::string& key, const std::vector<host_port>& written,
                 const std::vector<std::string>& bound, std::vector<std::string>& arguments) {
  if (std::none_of(written.begin(), written.end(), [](const auto& at) { return at.port == 0; }))
    return;
  std::string list;
  for (const auto& address : bound)
    list += (list.empty() ? "\"" : ", \"") + address + "\"";
  arguments.emplace_back("--set");
  arguments.push_back(key + "=[" + list + "]");
}

/// The arguments that make this program an instance of the same node.
std::vector<std::string> command_of(const node_scaler_options& options) {
  std::error_code failed;
  std::vector<std::string> result{
      std::filesystem::read_symlink("/proc/self/exe", failed).string(), "--config",
      std::filesystem::absolute(options.config_file).string(), "--name", options.name};
  for (const auto& override : options.overrides) {
    result.emplace_back("--set");
    result.push_back(override);
  }
  const auto& http = *options.config->http;
  name_picked("http.listen", http.listen, options.web->addresses(http::listener_kind::cleartext),
              result);
  name_picked("http.listen_tls", http.listen_tls, options.web->addresses(http::listener_kind::tls),
              result);
  return result;
}

scaler::web_sensor_options sensor_of(const node_scaler_options& options, std::string instance) {
  scaler::web_sensor_options result;
  result.instance = std::move(instance);
  result.incarnation = std::to_string(::getpid());
  result.period = options.config->scaler.period;
  result.loops = options.host->loops();
  result.loops.resize(options.config->http->loops);
  result.count = [web = options.web, books = options.host->books()](scaler::web_sums& now) {
    const auto waiting = [&](const char* state) {
      return static_cast<double>(
          std::max<int64_t>(books
                                ->gauge("caf_http_requests_in_flight",
                                        "Open requests by what they wait for.", {{"state", state}})
                                .value(),
                            0));
    };
    now.requests = static_cast<uint64_t>(books->sum("caf_http_requests_total"));
    now.accept_queue = web->accept_queue().first;
    now.connections = web->connections();
    now.open = {waiting("local") + waiting("write"), waiting("upstream"), waiting("actor"),
                waiting("eval"), 0};
    now.upstreams.clear();
    now.fpm_idle.reset();
    for (const auto& each : web->upstreams()) {
      now.upstreams.push_back({each.name, each.queue, each.again});
      if (each.idle_workers)
        now.fpm_idle = std::min(now.fpm_idle.value_or(*each.idle_workers), *each.idle_workers);
    }
  };
  return result;
}

/// The name in the cluster that whoever decides for a node has to hold.
std::string web_target(const std::string& node) { return "scaler.web." + node; }

/// The name of a fleet_actor.
std::string fleet_name(const std::string& node) { return "fleet.web." + node; }

/// All but the board and the fleet.
scaler::scaler_actor_options deciding_for(const node_scaler_options& options,
                                          const std::string& target) {
  scaler::scaler_actor_options result;
  result.brain.target = "web/" + target;
  result.brain.books = options.host->books();
  result.brain.log = options.host->log();
  result.brain.evaluators = options.evaluators;
  result.owns = [host = options.host, names = options.host->names(),
                 name = web_target(target)](const caf::actor& self) {
    return !host->stopping() && names->where_is(name) == self;
  };
  return result;
}

child_spec sensor_child(scaler::web_sensor_options options) {
  child_spec result;
  result.id = "sensor";
  result.start = [options](const start_context& start) -> caf::expected<caf::actor> {
    return start.system.spawn(scaler::web_sensor_actor, options);
  };
  return result;
}

} // namespace

size_t max_instances_of(const scaler::scaler_options& options) {
  return scaler::effective_max(options, static_cast<size_t>(scaler::usable_cores()));
}

node_scaler::node_scaler(node_scaler_options options)
    : options_(std::move(options)),
      board_(std::make_shared<scaler::scaler_board>(options_.config->scaler,
                                                    max_instances_of(options_.config->scaler))) {
  process_fleet_options fleet;
  fleet.node = options_.name;
  fleet.command = command_of(options_);
  fleet.web = options_.web;
  fleet.board = board_;
  fleet.loop = options_.loop;
  fleet.log = options_.host->log();
  fleet.stop_timeout = options_.config->http->limits.drain_deadline + stop_margin;
  fleet.lines = [format = options_.config->cluster.log.format](std::string_view name,
                                                               std::string_view line) {
    std::string text;
    if (format == log_format::text || !line.starts_with('{'))
      text.append("[").append(name).append("] ");
    text.append(line).append("\n");
    [[maybe_unused]] const auto n = ::write(STDERR_FILENO, text.data(), text.size());
  };
  fleet_ = process_fleet::make(std::move(fleet));
  // Instances need not be members of the cluster, so those of a node hear of purges by their pipe.
  options_.web->pass_purges_on_to([fleet = std::weak_ptr{fleet_}](const std::string& json) {
    if (const auto all = fleet.lock())
      all->purge(json);
  });
  if (!migrates_requests())
    options_.host->log()->warning(
        {"scaler", 0},
        "net.ipv4.tcp_migrate_req is 0: an instance that is killed loses what waits to be accepted",
        {});
  fleet_->set_runner([host = options_.host](process_fleet::task what) {
    run_detached(host->system(), std::move(what));
  });
}

child_spec node_scaler::launcher_spec() { return fleet_->nursery()->spec(); }

child_spec node_scaler::sensor() {
  auto result = sensor_of(options_, options_.name);
  result.publish = [fleet = fleet_](const scaler::web_sample& x) { fleet->note_sample(x); };
  return sensor_child(std::move(result));
}

std::vector<child_spec> node_scaler::own_children() {
  auto deciding = deciding_for(options_, options_.name);
  deciding.brain.board = board_;
  deciding.brain.fleet = fleet_;
  deciding.brain.folder = options_.config->cluster.node_dir(options_.name);
  // Who holds the name acts; in a cluster that is one of all, whatever runs twice.
  const auto scope = options_.config->node->link ? name_scope::cluster : name_scope::node;
  auto decides = named_child(
      options_.host->names(), web_target(options_.name),
      [deciding](caf::actor_system& system) {
        return system.spawn(scaler::scaler_actor, deciding);
      },
      scope);
  return {sensor(), std::move(decides)};
}

std::vector<child_spec> node_scaler::lent_children() {
  scaler::fleet_actor_options lending;
  lending.fleet = fleet_;
  lending.board = board_;
  lending.master = [names = options_.host->names(), name = web_target(options_.name)] {
    return names->where_is(name);
  };
  auto lends = named_child(
      options_.host->names(), fleet_name(options_.name),
      [lending](caf::actor_system& system) { return system.spawn(scaler::fleet_actor, lending); },
      name_scope::cluster);
  return {sensor(), std::move(lends)};
}

std::vector<child_spec> remote_scalers(const node_scaler_options& options,
                                       std::vector<std::shared_ptr<scaler::scaler_board>>& boards) {
  std::vector<child_spec> result;
  const auto& config = *options.config;
  if (!config.node->link || !has_links(config.cluster))
    return result;
  for (const auto& node : config.cluster.nodes) {
    if (!is_lent(config.cluster, node))
      continue;
    scaler::remote_scaler_options deciding;
    deciding.fleet = std::make_shared<scaler::remote_fleet>();
    deciding.keeper = [names = options.host->names(), name = fleet_name(node.name)] {
      return names->where_is(name);
    };
    deciding.scaler = deciding_for(options, node.name);
    auto& brain = deciding.scaler.brain;
    brain.board =
        std::make_shared<scaler::scaler_board>(config.scaler, max_instances_of(config.scaler));
    boards.push_back(brain.board);
    brain.fleet = deciding.fleet;
    brain.folder = config.cluster.node_dir(options.name) / web_target(node.name);
    std::error_code failed; // then there is no log on disk
    std::filesystem::create_directories(brain.folder, failed);
    result.push_back(named_child(
        options.host->names(), web_target(node.name),
        [deciding](caf::actor_system& system) {
          return system.spawn(scaler::remote_scaler_actor, deciding);
        },
        name_scope::cluster));
  }
  return result;
}

child_spec scaler_supervisor(std::vector<child_spec> children) {
  supervisor_options keeper;
  keeper.children = std::move(children);
  return supervisor_child("scaler", std::move(keeper), stop_margin);
}

void node_scaler::reload(const scaler::scaler_options& options) {
  board_->configure(options, max_instances_of(options));
  fleet_->reload();
}

child_spec instance_supervisor(const node_scaler_options& options) {
  auto sensor = sensor_of(options, options.config->instance);
  sensor.publish = [](const scaler::web_sample& x) { tell_parent("sample " + to_json(x)); };
  supervisor_options keeper;
  keeper.children.push_back(sensor_child(std::move(sensor)));
  child_spec ear;
  ear.id = "orders";
  ear.start = [loop = options.loop, host = options.host, web = options.web,
               life = options.life](const start_context& start) -> caf::expected<caf::actor> {
    return spawn_on<instance_actor>(start.system, loop, host, web, life);
  };
  keeper.children.push_back(std::move(ear));
  return supervisor_child("instance", std::move(keeper), stop_margin);
}

} // namespace caf_app

#include "nodes/node_scaler.hpp"

#include <unistd.h>

#include "actors/scaler/host_probe.hpp"
#include "actors/scaler/sample_json.hpp"
#include "actors/scaler/scaler_actor.hpp"
#include "actors/scaler/web_sensor_actor.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/instance_actor.hpp"
#include "nodes/named_child.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds stop_margin{5};

size_t max_of(const scaler::scaler_options& options) {
  return scaler::effective_max(options, static_cast<size_t>(scaler::usable_cores()));
}

/// The arguments that make this program an instance of the same node. Ports that the system has
/// picked are named.
std::vector<std::string> command_of(const node_scaler_options& options) {
  std::error_code failed;
  std::vector<std::string> result{
      std::filesystem::read_symlink("/proc/self/exe", failed).string(), "--config",
      std::filesystem::absolute(options.config_file).string(), "--name", options.name};
  for (const auto& override : options.overrides) {
    result.emplace_back("--set");
    result.push_back(override);
  }
  std::string listen;
  auto picked = false;
  for (const auto& where : options.config->http->listen)
    picked = picked || where.port == 0;
  if (!picked)
    return result;
  for (const auto& address : options.web->addresses())
    listen += (listen.empty() ? "\"" : ", \"") + address + "\"";
  result.emplace_back("--set");
  result.push_back("http.listen=[" + listen + "]");
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
    for (const auto& each : web->upstreams())
      now.upstreams.push_back({each.name, each.queue, each.again});
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

node_scaler::node_scaler(node_scaler_options options)
    : options_(std::move(options)), board_(std::make_shared<scaler::scaler_board>(
                                        options_.config->scaler, max_of(options_.config->scaler))) {
  process_fleet_options fleet;
  fleet.node = options_.name;
  fleet.command = command_of(options_);
  fleet.web = options_.web;
  fleet.board = board_;
  fleet.loop = options_.loop;
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
  fleet_->set_runner([host = options_.host](process_fleet::task what) {
    run_detached(host->system(), std::move(what));
  });
}

child_spec node_scaler::launcher_spec() { return fleet_->nursery()->spec(); }

child_spec node_scaler::spec() {
  const auto name = "scaler.web." + options_.name;
  auto sensor = sensor_of(options_, options_.name);
  sensor.publish = [fleet = fleet_](const scaler::web_sample& x) { fleet->note_sample(x); };
  scaler::scaler_actor_options deciding;
  deciding.target = "web/" + options_.name;
  deciding.board = board_;
  deciding.fleet = fleet_;
  deciding.folder = options_.config->cluster.node_dir(options_.name);
  deciding.owns = [host = options_.host, names = options_.host->names(),
                   name](const caf::actor& self) {
    return !host->stopping() && names->where_is(name) == self;
  };
  deciding.books = options_.host->books();
  deciding.log = options_.host->log();
  supervisor_options keeper;
  keeper.children.push_back(sensor_child(std::move(sensor)));
  // Who holds the name acts; in a cluster that is one of all, whatever runs twice.
  const auto scope = options_.config->node->link ? name_scope::cluster : name_scope::node;
  keeper.children.push_back(named_child(
      options_.host->names(), name,
      [deciding](caf::actor_system& system) {
        return system.spawn(scaler::scaler_actor, deciding);
      },
      scope));
  return supervisor_child("scaler", std::move(keeper), stop_margin);
}

void node_scaler::reload(const scaler::scaler_options& options) {
  board_->configure(options, max_of(options));
}

child_spec instance_supervisor(const node_scaler_options& options) {
  auto sensor = sensor_of(options, options.config->instance);
  sensor.publish = [](const scaler::web_sample& x) { tell_parent("sample " + to_json(x)); };
  supervisor_options keeper;
  keeper.children.push_back(sensor_child(std::move(sensor)));
  child_spec ear;
  ear.id = "orders";
  ear.start = [loop = options.loop, host = options.host,
               web = options.web](const start_context& start) -> caf::expected<caf::actor> {
    return spawn_on<instance_actor>(start.system, loop, host, web);
  };
  keeper.children.push_back(std::move(ear));
  return supervisor_child("instance", std::move(keeper), stop_margin);
}

} // namespace caf_app

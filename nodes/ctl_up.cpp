#include "nodes/ctl_up.hpp"

#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <ostream>

#include "caf_app/app.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/base/units.hpp"
#include "caf_app/process/launcher.hpp"
#include "nodes/local_nodes.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::seconds beyond_node{5}; // what `up` may take longer than its nodes
constexpr int look_period_ms = 50;

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(fd, text.data(), text.size());
    if (n > 0)
      text.remove_prefix(static_cast<size_t>(n));
    else if (errno != EINTR)
      return;
  }
}

/// JSON lines name their node themselves, and a prefix would break them.
process_lines printer(log_format format) {
  return [format](std::string_view name, std::string_view line) {
    std::string text;
    if (format == log_format::text || !line.starts_with('{'))
      text.append("[").append(name).append("] ");
    text.append(line).append("\n");
    const auto ready = line.starts_with(std::string{"ready "}.append(name).append(" "));
    ready ? write_all(STDOUT_FILENO, std::string{line} + "\n") : write_all(STDERR_FILENO, text);
  };
}

process_spec spec_of(const up_options& options, const cluster_config& config,
                     const std::string& node) {
  process_spec result;
  result.name = node;
  result.arguments = {options.program.string(), "--config", options.config_file.string(), "--name",
                      node};
  for (const auto& override : options.overrides) {
    result.arguments.emplace_back("--set");
    result.arguments.push_back(override);
  }
  result.timing.stop = config.shutdown.hard_deadline + std::chrono::seconds{1};
  return result;
}

/// A node that is told to end, or drained, ends for good; what else ends is started again.
void tell(const logger& log, const process_event& event, const launcher& nursery) {
  const log_speaker speaker{"up", 0};
  switch (event.kind) {
    case process_event_kind::started:
    case process_event_kind::ready: break;
    case process_event_kind::ended:
      for (const auto& node : nursery.list())
        if (node.name == event.name && node.state == process_state::ended)
          log.info(speaker, "a node has stopped", {{"node", event.name}, {"end", event.text}});
      break;
    case process_event_kind::restarting:
      log.warning(
          speaker, "a node has failed and is started again",
          {{"node", event.name}, {"reason", event.text}, {"after", format_duration(event.delay)}});
      break;
    case process_event_kind::gave_up:
      log.error(speaker, "a node cannot be kept running and is given up",
                {{"node", event.name}, {"last_end", event.text}});
  }
}

std::filesystem::path beside_this_program(const char* name) {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).replace_filename(name);
}

app_options options_of(const cluster_config& config) {
  app_options result;
  result.shutdown = config.shutdown;
  result.shutdown.hard_deadline += 2 * beyond_node;
  log_options log;
  log.format = config.log.format;
  log.level = config.log.level;
  log.node = "up";
  result.log = make_logger(std::move(log));
  result.books = std::make_shared<metrics>();
  return result;
}

} // namespace

ctl_status run_up(const up_options& given, const node_config& config, std::ostream& err) {
  auto options = given;
  if (options.program.empty())
    options.program = beside_this_program("caf-node");
  options.config_file = std::filesystem::absolute(options.config_file);
  const auto& cluster = config.cluster;
  const auto nodes = local_nodes(cluster);
  if (nodes.empty()) {
    err << "caf-ctl: no node of " << options.config_file.string()
        << " has a link address of this host" << std::endl;
    return ctl_status::usage;
  }
  if (const auto& file = cluster.cluster.secret_file; !file.empty())
    if (const auto failed = make_secret(file)) {
      err << "caf-ctl: " << describe(failed) << std::endl;
      return ctl_status::refused;
    }
  app program{options_of(cluster)};
  std::atomic<bool> given_up{false};
  launcher_ptr nursery;
  launcher_options launching;
  launching.loop = program.loops().front();
  launching.lines = printer(cluster.log.format);
  launching.events = [&](const process_event& event) {
    given_up = given_up || event.kind == process_event_kind::gave_up;
    tell(*program.log(), event, *nursery);
    if (event.kind != process_event_kind::started && nursery->idle())
      program.stop();
  };
  nursery = launcher::make(std::move(launching));
  for (const auto* node : nodes)
    if (const auto failed = nursery->launch(spec_of(options, cluster, node->name)))
      err << "caf-ctl: " << describe(failed) << std::endl;
  program.add_phase({"stopping nodes", cluster.shutdown.hard_deadline + beyond_node,
                     [&] { nursery->stop_all(); }, [&] { return nursery->idle(); }});
  program.start({nursery->spec()});
  const auto code = program.run();
  return code != 0 || given_up || !nursery->idle() ? ctl_status::refused : ctl_status::ok;
}

ctl_status run_down(const cluster_config& config, std::ostream& out, std::ostream& err) {
  std::vector<std::pair<std::string, admin_client>> waiting;
  for (const auto* node : local_nodes(config)) {
    auto client =
        admin_client::over_socket((config.node_dir(node->name) / "control.sock").string());
    if (client.post("/v1/drain", "{}")) {
      out << node->name << " drains" << std::endl;
      waiting.emplace_back(node->name, std::move(client));
    } else {
      out << node->name << " does not run" << std::endl;
    }
  }
  const auto patience = config.shutdown.hard_deadline + beyond_node;
  const auto deadline = steady_now() + patience;
  while (!waiting.empty() && steady_now() < deadline) {
    std::erase_if(waiting, [&](const auto& each) {
      if (each.second.get("/healthz"))
        return false;
      out << each.first << " has stopped" << std::endl;
      return true;
    });
    if (!waiting.empty())
      ::poll(nullptr, 0, look_period_ms);
  }
  for (const auto& [name, client] : waiting)
    err << "caf-ctl: " << name << " still runs after " << format_duration(patience)
        << ", beyond shutdown.hard_deadline" << std::endl;
  return waiting.empty() ? ctl_status::ok : ctl_status::refused;
}

} // namespace caf_app

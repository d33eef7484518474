// caf-node: runs one node of a cluster file in the foreground. `caf-node eval-cli` serves the
// evaluator alone, as JSON lines.
//
// Exit status: 0 after a clean stop, 1 if the start failed or the stop was not clean, 2 on a bad
// command line or configuration.
#include <iostream>
#include <random>
#include <string_view>

#include "nodes/eval_cli.hpp"
#include "nodes/node_cli.hpp"
#include "nodes/service_notice.hpp"
#include "nodes/start_check.hpp"

namespace {

int refuse(const caf::error& why) {
  std::cerr << "caf-node: " << caf_app::describe(why) << std::endl;
  const auto code = caf_app::code_of(why);
  return code == caf_app::errc::invalid_config || code == caf_app::errc::invalid_argument ? 2 : 1;
}

std::string random_bytes() {
  std::random_device source;
  std::string result;
  while (result.size() < 32)
    result += static_cast<char>(source());
  return result;
}

void tell(const caf_app::service_notice& manager, std::string_view state) {
  if (auto err = manager.tell(state))
    std::cerr << "caf-node: " << caf_app::describe(err) << std::endl;
}

int run(caf_app::node_options options, bool check_only, const caf_app::service_notice& manager) {
  auto config = caf_app::read_node_config(options.config_file, options.overrides, options.name);
  if (!config)
    return refuse(config.error());
  if (!options.instance.empty()) {
    config = caf_app::as_instance(**config, options.instance);
    if (!config)
      return refuse(config.error());
  }
  if (check_only) {
    if (auto err = caf_app::check_start(**config))
      return refuse(err);
    std::cout << "ok " << options.config_file.string() << std::endl;
    return 0;
  }
  options.application = [&manager](caf_app::app& host) { // its phase is the first one of the stop
    host.add_phase(
        {"telling the service manager", {}, [&manager] { tell(manager, "STOPPING=1"); }, {}});
    return std::vector<caf_app::child_spec>{};
  };
  auto node = caf_app::node::start(options, *config);
  if (!node)
    return refuse(caf_app::explained(**config, std::move(node.error())));
  std::cout << "ready " << (options.instance.empty() ? options.name : options.instance);
  for (const auto& address : (*node)->addresses())
    std::cout << ' ' << address;
  std::cout << std::endl;
  tell(manager, "READY=1\nSTATUS=serving");
  return (*node)->run();
}

} // namespace

int main(int argc, char** argv, char** environment) {
  caf_app::block_signals(); // before any thread exists
  if (argc > 1 && std::string_view{argv[1]} == "eval-cli")
    return caf_app::eval_cli_main(argc - 1, argv + 1, random_bytes());
  auto parsed = caf_app::parse_node_command_line(argc, argv);
  if (const auto* status = std::get_if<int>(&parsed))
    return *status;
  auto& line = std::get<caf_app::node_command_line>(parsed);
  line.options.entropy = random_bytes();
  const auto instance = !line.options.instance.empty(); // its node speaks for it
  const auto manager =
      instance ? caf_app::service_notice{{}} : caf_app::service_notice::of(environment);
  return run(std::move(line.options), line.check_only, manager);
}

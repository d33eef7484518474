// The main function of a node that has actors of a test.
#pragma once

#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "nodes/node.hpp"

namespace caf_app {

/// Runs a node as caf-node does, with the children that `application` makes for it.
/// Arguments: --config FILE --name NODE [--set KEY=VALUE]...
inline int
run_test_node(int argc, char** argv,
              std::function<std::vector<child_spec>(app&, const std::string& node)> application) {
  block_signals();
  node_options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option{argv[i]};
    if (option == "--config")
      options.config_file = argv[i + 1];
    else if (option == "--name")
      options.name = argv[i + 1];
    else if (option == "--set")
      options.overrides.emplace_back(argv[i + 1]);
  }
  options.application = [name = options.name, application = std::move(application)](app& host) {
    return application(host, name);
  };
  auto config = read_node_config(options.config_file, options.overrides, options.name);
  if (!config) {
    std::cerr << describe(config.error()) << std::endl;
    return 2;
  }
  auto node = node::start(options, std::move(*config));
  if (!node) {
    std::cerr << describe(node.error()) << std::endl;
    return 1;
  }
  std::cout << "ready " << options.name;
  for (const auto& address : (*node)->addresses())
    std::cout << ' ' << address;
  std::cout << std::endl;
  return (*node)->run();
}

} // namespace caf_app

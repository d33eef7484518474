// caf-docs: writes the documents that follow from the code: the reference of the configuration out
// of the tables that read it, manual pages and completions out of the command lines. It is built
// and run by developers only (`cmake --build --preset release --target documents`).
//
// Usage: caf-docs [--check] ROOT. With --check nothing is written.
// Exit status: 0 ok, 1 a document differs from the code, 2 usage.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caf_app/base/config_reference.hpp"
#include "nodes/config_keys.hpp"
#include "nodes/ctl_cli.hpp"
#include "nodes/node_cli.hpp"

namespace {

using namespace caf_app;

const char* const preface =
    "# Configuration\n\n"
    "Every key of a cluster file, out of the tables that read it (do not edit: `cmake --build "
    "--preset release --target documents` writes this file).\n\n"
    "The file is TOML. Durations are strings with a unit (`\"500ms\"`, `\"5s\"`, `\"2m\"`, "
    "`\"12h\"`), "
    "sizes too (`\"64KiB\"`, `\"1MiB\"`) or plain bytes; relative paths start at the folder of the "
    "file. Unknown keys are errors. `caf-node --check` reads a file and says what is wrong, `--set "
    "http.loops=2` overrides a key. A default of nothing means that the key is not set.\n";

/// Path below the root and text of each document.
std::vector<std::pair<std::string, std::string>> documents() {
  return {
      {"nodes/CONFIGURATION.md", preface + to_markdown(node_config_keys())},
      {"nodes/man/caf-node.1", to_man(node_page(), CAF_APP_VERSION)},
      {"nodes/man/caf-ctl.1", to_man(ctl_page(), CAF_APP_VERSION)},
      {"nodes/completions/caf-node", to_bash_completion(node_page())},
      {"nodes/completions/caf-ctl", to_bash_completion(ctl_page())},
  };
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// @returns whether all documents are what the code says
bool check(const std::filesystem::path& root) {
  bool good = true;
  for (const auto& [path, text] : documents())
    if (text_of(root / path) != text) {
      std::cerr << path << " differs from the code; run\n"
                << "  cmake --build --preset release --target documents\n"
                << "and commit what it writes" << std::endl;
      good = false;
    }
  return good;
}

bool write(const std::filesystem::path& root) {
  for (const auto& [path, text] : documents()) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream out{root / path, std::ios::binary};
    if (!(out << text).flush()) {
      std::cerr << "caf-docs: cannot write " << (root / path).string() << std::endl;
      return false;
    }
  }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const auto checking = argc == 3 && std::string_view{argv[1]} == "--check";
  if (!checking && argc != 2) {
    std::cerr << "usage: caf-docs [--check] ROOT" << std::endl;
    return 2;
  }
  return (checking ? check(argv[2]) : write(argv[1])) ? 0 : 1;
}

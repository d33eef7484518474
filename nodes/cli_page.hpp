// What a command line understands, as data: what --help, the man page and the completion of a
// program have in common. It is read out of the parser itself, so none of them can say anything
// else.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace caf_app {

struct cli_option {
  std::vector<std::string> names; ///< "-h", "--help"; of an argument its placeholder, "NAME"
  std::string value;              ///< placeholder of what follows; empty: a flag, or an argument
  std::string meaning;
  bool required = false;
  bool argument = false; ///< told by its position
};

/// A program, or a command of it.
struct cli_page {
  std::string name;
  std::string summary;
  std::vector<cli_option> options;
  std::vector<cli_page> commands;
  std::vector<std::string> notes; ///< lines `TITLE: text` below the options
};

/// @param name of the program or command
cli_page page_of(const CLI::App& cli, std::string name);

/// The page of section 1 of the manual, in roff (man(7)).
std::string to_man(const cli_page& page, const std::string& version);

/// A completion for bash: commands, options, and files where a path is expected.
std::string to_bash_completion(const cli_page& page);

} // namespace caf_app

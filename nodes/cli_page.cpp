#include "nodes/cli_page.hpp"

#include <sstream>

#include <CLI/CLI.hpp>

namespace caf_app {

namespace {

cli_option option_of(const CLI::Option& from) {
  cli_option result;
  result.argument = from.get_positional() && from.get_lnames().empty();
  if (result.argument)
    result.names.push_back(from.get_name(true));
  for (const auto& name : from.get_snames())
    result.names.push_back("-" + name);
  for (const auto& name : from.get_lnames())
    result.names.push_back("--" + name);
  if (!result.argument && from.get_items_expected_max() > 0)
    result.value = from.get_type_name();
  result.meaning = from.get_description();
  result.required = from.get_required();
  return result;
}

} // namespace

cli_page page_of(const CLI::App& cli, std::string name) {
  cli_page result;
  result.name = std::move(name);
  result.summary = cli.get_description();
  for (const auto* option : cli.get_options())
    result.options.push_back(option_of(*option));
  for (const auto* command : cli.get_subcommands([](const CLI::App*) { return true; }))
    result.commands.push_back(page_of(*command, command->get_name()));
  std::istringstream notes{cli.get_footer()};
  for (std::string line; std::getline(notes, line);)
    if (!line.empty())
      result.notes.push_back(line);
  return result;
}

} // namespace caf_app

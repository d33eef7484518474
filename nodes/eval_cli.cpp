#include "nodes/eval_cli.hpp"

#include <iostream>

#include <CLI/CLI.hpp>

#include "actors/eval/api_reply.hpp"
#include "actors/eval/eval_supervisor.hpp"
#include "caf_app/app.hpp"
#include "caf_app/base/config.hpp"
#include "caf_app/eval/json_text.hpp"
#include "caf_app/registry/ask_blocking.hpp"

namespace caf_app {

namespace {

constexpr std::chrono::minutes answer_time{15}; // above every timeout inside
constexpr std::chrono::seconds answer_grace{5};

std::string member_text(const eval::json& from, std::string_view name) {
  const auto* value = from.find(name);
  const auto* text = value ? value->if_string() : nullptr;
  return text ? *text : std::string{};
}

/// @returns nothing if the line is no request
std::optional<eval_request> read_request(const std::string& line) {
  const auto value = eval::read_json(line, eval::json_depth_max + eval::envelope_depth_max);
  const auto* parsed = std::get_if<eval::json>(&value);
  if (!parsed || !parsed->if_object())
    return std::nullopt;
  eval_request request;
  request.method = member_text(*parsed, "method");
  request.path = member_text(*parsed, "path");
  if (request.method.empty() || request.path.empty())
    return std::nullopt;
  if (const auto mark = request.path.find('?'); mark != std::string::npos) {
    request.query = request.path.substr(mark + 1);
    request.path.resize(mark);
  }
  if (const auto* body = parsed->find("body"); body && !body->is_null())
    request.body = eval::to_text(*body);
  request.deadline_ms = static_cast<uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(answer_time).count());
  return request;
}

eval_reply answer(app& host, const std::string& line) {
  auto request = read_request(line);
  if (!request)
    return eval::refusal(400, "a line has to be {\"method\", \"path\", \"body\"}",
                         "invalid_request");
  auto reply = ask_blocking<eval_reply>(host.system(), host.names()->where_is("eval"),
                                        answer_time + answer_grace, std::move(*request));
  if (!reply)
    return eval::refusal(502, describe(reply.error()), "evaluator_lost");
  return std::move(*reply);
}

std::string line_of(const eval_reply& reply) {
  std::string body;
  if (reply.content_type == "application/json")
    body = reply.body;
  else if (!reply.content_type.empty())
    eval::write_json_string(body, reply.body);
  return R"({"status":)" + std::to_string(reply.status) + R"(,"body":)" +
         (body.empty() ? "null" : body) + '}';
}

caf::expected<eval::eval_config> read_config(const eval_cli_options& options) {
  auto file =
      config_file::parse("", "eval-cli", std::filesystem::current_path(), options.overrides);
  if (!file)
    return std::move(file.error());
  eval::eval_config config;
  file->read("eval", eval::eval_config_rule(), config);
  if (auto err = file->finish())
    return err;
  return config;
}

app_options quiet() {
  log_options log;
  log.level = log_level::warning;
  app_options result;
  result.log = make_logger(std::move(log));
  result.books = std::make_shared<metrics>();
  return result;
}

void declare(CLI::App& cli, eval_cli_options& out) {
  cli.description("Serves the evaluator's API as JSON lines: {method, path, body} in, {status, "
                  "body} out.");
  cli.add_option("--data-dir", out.data_dir, "folder of builds and files")
      ->type_name("FOLDER")
      ->required();
  cli.add_option("--set", out.overrides, "a key of [eval], for example eval.allow_local=true")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

} // namespace

int run_eval_cli(const eval_cli_options& options, std::istream& in, std::ostream& out,
                 std::ostream& complaints) {
  auto config = read_config(options);
  if (!config) {
    complaints << "caf-node eval-cli: " << describe(config.error()) << std::endl;
    return 2;
  }
  app host{quiet()};
  eval::evaluator_options parts;
  parts.node = "cli";
  parts.data_dir = std::filesystem::absolute(options.data_dir); // tools run in other folders
  parts.config = std::move(*config);
  parts.loop = host.loops().front();
  parts.names = host.names();
  parts.books = host.books();
  parts.log = host.log();
  parts.entropy = options.entropy;
  auto made = eval::evaluator::make(std::move(parts), eval::evaluator_extent::whole);
  if (!made) {
    complaints << "caf-node eval-cli: " << describe(made.error()) << std::endl;
    return 1;
  }
  host.start({(*made)->spec()});
  while (!host.names()->where_is("eval")) // children start within milliseconds
    std::this_thread::yield();
  bool failed = false;
  for (std::string line; std::getline(in, line);) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    const auto reply = answer(host, line);
    failed = failed || reply.status >= 400;
    out << line_of(reply) << std::endl;
  }
  host.stop();
  return host.run() != 0 || failed ? 1 : 0;
}

int eval_cli_main(int argc, char** argv, std::string entropy) {
  eval_cli_options options;
  options.entropy = std::move(entropy);
  CLI::App cli;
  declare(cli, options);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return cli.exit(error) == 0 ? 0 : 2;
  }
  return run_eval_cli(options, std::cin, std::cout, std::cerr);
}

cli_page eval_cli_page() {
  eval_cli_options unused;
  CLI::App cli;
  declare(cli, unused);
  return page_of(cli, "eval-cli");
}

} // namespace caf_app

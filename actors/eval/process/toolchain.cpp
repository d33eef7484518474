#include "actors/eval/process/toolchain.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

#include "actors/eval/digest.hpp"
#include "actors/eval/process/file_content.hpp"

namespace caf_app::eval {

namespace fs = std::filesystem;

namespace {

constexpr uint64_t compiler_memory_bytes = uint64_t{4} << 30;
constexpr uint64_t compiler_cpu_seconds = 600;
constexpr uint64_t compiler_file_bytes = uint64_t{1} << 30;

/// What a precompiled header depends on: flags, the compiler itself, the runtime's headers.
std::string header_digest(const toolchain& from) {
  std::string all;
  for (auto& flag : common_flags(from))
    all += flag + "\n";
  std::error_code ec;
  const auto compiler = fs::canonical(from.compiler, ec);
  all += compiler.string() + std::to_string(fs::file_size(compiler, ec)) + "\n";
  std::vector<fs::path> headers;
  for (auto& entry : fs::recursive_directory_iterator{from.include_folder, ec})
    if (entry.is_regular_file(ec))
      headers.push_back(entry.path());
  std::sort(headers.begin(), headers.end());
  for (auto& header : headers)
    all += header.string() + "\n" + content_of(header);
  return sha256_hex(all);
}

/// Where an installation keeps what builds need: PREFIX/lib/caf_app/eval for PREFIX/bin/caf-node.
fs::path installed_folder() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).parent_path().parent_path() / "lib/caf_app/eval";
}

void add(std::vector<std::string>& to, const char* option, const std::string& value) {
  to.emplace_back(option);
  to.push_back(value);
}

std::vector<std::string> launcher_start(const toolchain& from, const char* kind) {
  std::vector<std::string> result{from.launcher};
  add(result, "--kind", from.mode == confinement_mode::off ? "none" : kind);
  add(result, "--mode", from.mode == confinement_mode::required ? "required" : "best");
  add(result, "--parent", std::to_string(::getpid()));
  return result;
}

} // namespace

toolchain default_toolchain(std::string cache_folder) {
  toolchain result;
  std::error_code ec;
  const auto installed = installed_folder();
  if (fs::exists(installed / "caf_app_eval_confine", ec)) {
    result.include_folder = (installed / "include").string();
    result.runtime_archive = (installed / "libcaf_app_eval_runtime.a").string();
    result.launcher = (installed / "caf_app_eval_confine").string();
  } else {
    result.include_folder = CAF_APP_EVAL_INCLUDE;
    result.runtime_archive = CAF_APP_EVAL_RUNTIME;
    result.launcher = CAF_APP_EVAL_CONFINE;
  }
  result.cache_folder = std::move(cache_folder);
  return result;
}

std::vector<std::string> common_flags(const toolchain& from) {
  return {"-std=c++20",       "-O2", "-fdiagnostics-color=never",
          "-fmax-errors=100", "-I",  from.include_folder};
}

std::vector<std::string> confined_compiler(const toolchain& from, std::vector<std::string> command,
                                           const std::vector<std::string>& read,
                                           const std::vector<std::string>& write) {
  auto result = launcher_start(from, "compiler");
  add(result, "--stay", "yes");
  add(result, "--memory", std::to_string(compiler_memory_bytes));
  add(result, "--cpu", std::to_string(compiler_cpu_seconds));
  add(result, "--file", std::to_string(compiler_file_bytes));
  for (auto path : {"/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/alternatives"})
    add(result, "--read", path);
  add(result, "--read", from.include_folder);
  add(result, "--read", from.runtime_archive);
  add(result, "--read", from.cache_folder);
  for (auto& path : read)
    add(result, "--read", path);
  for (auto& path : write)
    add(result, "--write", path);
  add(result, "--device", "/dev/null");
  result.emplace_back("--");
  result.insert(result.end(), command.begin(), command.end());
  return result;
}

std::vector<std::string> mortal_command(const std::string& launcher,
                                        const std::vector<std::string>& command) {
  if (launcher.empty())
    return command;
  std::vector<std::string> result{launcher};
  add(result, "--kind", "none");
  add(result, "--parent", std::to_string(::getpid()));
  add(result, "--stay", "yes");
  result.emplace_back("--");
  result.insert(result.end(), command.begin(), command.end());
  return result;
}

std::vector<std::string> confined_driver(const toolchain& from, const std::string& driver,
                                         uint64_t fork_key) {
  auto result = launcher_start(from, "driver");
  add(result, "--fork-key", std::to_string(fork_key));
  add(result, "--memory", std::to_string(from.worker_memory_bytes));
  add(result, "--read", driver);
  result.emplace_back("--");
  result.push_back(driver);
  return result;
}

precompiled_header find_precompiled_header(const toolchain& from) {
  precompiled_header result;
  const auto folder = fs::path{from.cache_folder} / header_digest(from).substr(0, 16);
  std::error_code ec;
  fs::create_directories(folder, ec);
  const auto header = folder / "precompiled.hpp";
  result.path = header.string();
  if (fs::exists(result.path + ".gch", ec))
    return result;
  for (auto& rest : fs::directory_iterator{folder, ec})
    if (rest.path().extension() == ".tmp") // of a process that was killed
      fs::remove(rest.path(), ec);
  std::ofstream{header} << "#include <caf_app/eval/generated.hpp>\n";
  result.temporary = result.path + "." + std::to_string(::getpid()) + ".tmp";
  result.command = {from.compiler};
  for (auto& flag : common_flags(from))
    result.command.push_back(flag);
  for (auto part : {"-x", "c++-header"})
    result.command.emplace_back(part);
  result.command.push_back(result.path);
  add(result.command, "-o", result.temporary);
  return result;
}

} // namespace caf_app::eval

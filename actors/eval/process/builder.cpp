#include "actors/eval/process/builder.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "actors/eval/codegen.hpp"
#include "actors/eval/compiler_output.hpp"
#include "actors/eval/eval_config.hpp"
#include "actors/eval/process/build_log.hpp"
#include "actors/eval/process/driver_process.hpp"
#include "actors/eval/process/job_pool.hpp"
#include "actors/eval/process/output_reader.hpp"

namespace caf_app::eval {

namespace fs = std::filesystem;

namespace {

struct unit {
  std::string source; ///< absolute
  std::string object; ///< absolute
};

diagnostic driver_fault(std::string message, std::string hint = {}) {
  diagnostic result;
  result.where = diagnostic::scope::driver;
  result.message = std::move(message);
  result.hint = std::move(hint);
  return result;
}

/// What a tool has said, as much as the log would take.
std::string output_in(const std::string& path) {
  std::ifstream file{path, std::ios::binary | std::ios::ate};
  const auto bytes = static_cast<std::streamoff>(file.tellg());
  std::string text(static_cast<size_t>(std::clamp<std::streamoff>(
                       bytes, 0, static_cast<std::streamoff>(limit::build_log_bytes))),
                   '\0');
  file.seekg(0).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

bool write_file(const fs::path& path, std::string_view content) {
  std::error_code ec;
  fs::create_directories(path.parent_path(), ec);
  std::ofstream file{path, std::ios::binary | std::ios::trunc};
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  return file.flush().good();
}

class build {
public:
  build(const build_request& request, const toolchain& tools)
      : request_(request), tools_(tools),
        root_(request.folder), folders_{(root_ / "source").string(),
                                        (root_ / "generated").string()} {}

  build_result run() {
    auto checked = check_parts(request_.declared, request_.files);
    project_ = std::move(checked.sound);
    if (!checked.faults.empty()) {
      // The compiler has its say about the rest, so that all faults are told at once.
      result_.diagnostics = std::move(checked.faults);
      if (write_sources() && prepare_header())
        compile();
      remove_intermediate();
      return result_.how == build_result::end::failed ? failed() : std::move(result_);
    }
    if (write_sources() && prepare_header() && compile() && link() && try_driver())
      result_.how = build_result::end::ready;
    remove_intermediate();
    return result_.how == build_result::end::failed ? failed() : std::move(result_);
  }

  /// Only the precompiled header. @returns what went wrong
  std::string run_header() {
    if (make_folders())
      prepare_header();
    else
      fail(driver_fault("its folder cannot be written"));
    std::string said;
    if (!result_.diagnostics.empty()) {
      const auto& why = result_.diagnostics.front();
      said = "no precompiled header: " + why.message;
      if (!why.hint.empty())
        said += ": " + why.hint.substr(0, why.hint.find('\n'));
    }
    std::error_code ec;
    fs::remove_all(root_, ec);
    return said;
  }

private:
  build_result failed() {
    if (result_.diagnostics.empty())
      result_.diagnostics.push_back(driver_fault("the build failed, see its log"));
    for (auto& one : result_.diagnostics)
      if (one.grade == diagnostic::severity::error && result_.error.empty())
        result_.error = one.message;
    return std::move(result_);
  }

  bool fail(diagnostic why) {
    result_.diagnostics.push_back(std::move(why));
    return false;
  }

  void log(std::string_view text) { log_.append(text); }

  /// Clears what an earlier attempt left; the status of the build is beside it and stays.
  bool make_folders() {
    std::error_code ec;
    for (auto rest : {"source", "generated", "objects", "tmp", "driver", "log", "worker.log"})
      fs::remove_all(root_ / rest, ec);
    bool ok = true;
    for (auto folder : {"source", "generated", "objects", "tmp"})
      ok = fs::create_directories(root_ / folder, ec) && ok;
    return ok;
  }

  void remove_intermediate() {
    std::error_code ec;
    for (auto rest : {"objects", "tmp"})
      fs::remove_all(root_ / rest, ec);
  }

  bool write_sources() {
    bool ok = make_folders();
    for (auto& file : request_.files)
      ok = ok && write_file(root_ / "source" / file.path, file.content);
    for (auto& file : generate_driver(project_)) {
      ok = ok && write_file(root_ / "generated" / file.name, file.content);
      add_unit(folders_.generated + "/" + file.name);
    }
    for (auto& source : project_.sources)
      add_unit(folders_.source + "/" + source);
    log("== " + std::to_string(request_.files.size()) + " files\n");
    return ok || fail(driver_fault("the build's folder cannot be written"));
  }

  void add_unit(std::string source) {
    auto object = (root_ / "objects" / (std::to_string(units_.size()) + ".o")).string();
    units_.push_back({std::move(source), std::move(object)});
  }

  /// A job whose output goes to a file of its own.
  job make_job(std::vector<std::string> command, const std::string& output,
               const std::vector<std::string>& write) const {
    const auto temporary = (root_ / "tmp").string();
    auto writable = write;
    writable.push_back(temporary);
    job result;
    result.command = confined_compiler(tools_, std::move(command), {root_.string()}, writable);
    result.folder = root_.string();
    result.output_path = output;
    result.environment = {"PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=" + temporary};
    return result;
  }

  /// Runs jobs; `each` sees the output of each and whether it went well.
  template <class Each>
  bool run_all(const std::vector<job>& jobs, size_t at_once, Each each) {
    bool ok = true;
    const auto end = run_jobs(
        jobs, {at_once, timer_.get(), request_.cancel_fd},
        [&](size_t index, child_exit exit, const std::string& why) {
          auto output = output_in(jobs[index].output_path);
          std::error_code ec;
          fs::remove(jobs[index].output_path, ec);
          log(output + why);
          if (!why.empty())
            fail(driver_fault("the compiler cannot be started", why));
          else if (exit.signal != 0)
            fail(driver_fault("the compiler was killed by signal " + std::to_string(exit.signal)));
          ok = exit.ok() && ok;
          each(index, output, exit.ok());
        });
    if (end == pool_end::cancelled)
      result_.how = build_result::end::cancelled;
    if (end == pool_end::timed_out)
      return fail(driver_fault("the build took longer than " +
                               std::to_string(tools_.build_timeout_ms / 1000) + " s"));
    return ok && end == pool_end::done;
  }

  bool prepare_header() {
    header_ = find_precompiled_header(tools_);
    if (header_.command.empty())
      return true;
    const auto folder = fs::path{header_.path}.parent_path().string();
    const auto note = [this](size_t, const std::string& output, bool ok) {
      if (!ok && result_.diagnostics.empty())
        fail(driver_fault("the evaluator's header does not compile", output));
    };
    const auto job = make_job(header_.command, (root_ / "objects/header.log").string(), {folder});
    if (!run_all({job}, 1, note))
      return false;
    std::error_code ec;
    fs::rename(header_.temporary, header_.path + ".gch", ec);
    return !ec || fail(driver_fault("cannot write " + header_.path + ".gch: " + ec.message()));
  }

  std::vector<std::string> compile_command(const unit& what) const {
    std::vector<std::string> command{tools_.compiler};
    for (auto& flag : common_flags(tools_))
      command.push_back(flag);
    for (auto& part : {std::string{"-I"}, folders_.source, std::string{"-include"}, header_.path,
                       std::string{"-c"}, what.source, std::string{"-o"}, what.object})
      command.push_back(part);
    return command;
  }

  bool compile() {
    log("== compiling " + std::to_string(units_.size()) + " units\n");
    std::vector<job> jobs;
    for (auto& what : units_)
      jobs.push_back(
          make_job(compile_command(what), what.object + ".log", {(root_ / "objects").string()}));
    return run_all(jobs, tools_.jobs, [&](size_t, const std::string& output, bool ok) {
      auto found = read_compiler_output(output, project_, folders_);
      if (!ok && !has_errors(found))
        found.push_back(driver_fault("the compiler failed, see the log"));
      merge(result_.diagnostics, std::move(found));
    });
  }

  std::string driver_path() const { return (root_ / "driver").string(); }

  bool link() {
    log("== linking\n");
    std::vector<std::string> command{tools_.compiler, "-static", "-o", driver_path()};
    for (auto& what : units_)
      command.push_back(what.object);
    for (auto part : {tools_.runtime_archive, std::string{"-l:libboost_json.a"},
                      std::string{"-l:libboost_container.a"}, std::string{"-l:libseccomp.a"}})
      command.push_back(part);
    // ld removes and makes the file anew, for which it needs its folder.
    const auto jobs = std::vector{
        make_job(std::move(command), (root_ / "objects/link.log").string(), {root_.string()})};
    return run_all(jobs, 1, [&](size_t, const std::string& output, bool ok) {
      auto found = read_linker_output(output, project_);
      if (!ok && found.empty())
        found.push_back(driver_fault("the linker failed, see the log"));
      merge(result_.diagnostics, std::move(found));
    });
  }

  /// The driver describes itself and starts a worker, else it is not ready.
  bool try_driver() {
    log("== starting the driver\n");
    // Nothing but the log limits what a project prints while it is loaded: no file for it then.
    const output_reader output{[this](std::string_view text) { log(text); }};
    auto started =
        driver_process::start(tools_, driver_path(), output.fd(), tools_.handshake_timeout_ms);
    if (auto why = std::get_if<std::string>(&started))
      return fail(driver_fault("the driver does not start: " + *why));
    auto& driver = *std::get<0>(started);
    auto description = driver.describe(tools_.handshake_timeout_ms);
    if (auto why = std::get_if<std::string>(&description))
      return fail(driver_fault("the driver does not describe itself: " + *why));
    auto worker = driver.fork_worker(tools_.handshake_timeout_ms);
    if (auto why = std::get_if<std::string>(&worker))
      return fail(driver_fault("the driver does not start workers: " + *why));
    result_.description = std::get<json>(std::move(description));
    return true;
  }

  const build_request& request_;
  const toolchain& tools_;
  fs::path root_;
  output_folders folders_;
  build_log log_{(root_ / "log").string(), limit::build_log_bytes};
  owned_fd timer_ = make_timer(tools_.build_timeout_ms);
  project project_;
  precompiled_header header_;
  std::vector<unit> units_;
  build_result result_;
};

} // namespace

build_result build_driver(const build_request& request, const toolchain& tools) {
  return build{request, tools}.run();
}

std::string warm_up(const std::string& folder, const toolchain& tools, int cancel_fd) {
  build_request request;
  request.folder = folder;
  request.cancel_fd = cancel_fd;
  return build{request, tools}.run_header();
}

} // namespace caf_app::eval

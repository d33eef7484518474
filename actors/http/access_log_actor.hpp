// The access log: connections put finished lines into a bounded queue, a scheduled actor writes
// them. So a slow or full disk costs log lines, which are counted, and never the time of a loop.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/http_config.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/base/append_file.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::http {

/// Lines of any thread on their way to a file.
class access_log final : public access_log_sink {
public:
  static constexpr size_t lines_max = 64 * 1024; ///< queued; more are dropped and counted

  /// @param path a file, or "-" for stderr
  /// @param dropped counts lines that are lost: more than the queue holds, or not written whole
  /// @param log told once when lines begin to be lost in writing, and once when that is over
  /// @returns errc::start_failed if it cannot be opened
  static caf::expected<std::shared_ptr<access_log>> open(std::string path, counter& dropped,
                                                         logger_ptr log = make_silent_logger());

  ~access_log() override;

  /// Queues `line`, which has its line end.
  void write(std::string line) override;

  /// Opens the path anew, for log rotation. Any thread. @returns errc::io_failed; the old file
  /// stays
  caf::error reopen();

  /// Writes what is queued. For the actor.
  void flush();

private:
  access_log(std::string path, append_file file, counter& dropped, logger_ptr log)
      : path_(std::move(path)), dropped_(dropped), log_(std::move(log)), file_(std::move(file)) {}

  void append(std::string_view block);
  void note(size_t lost, int error);

  std::string path_;
  counter& dropped_;
  logger_ptr log_;
  std::mutex queue_mutex_;
  std::vector<std::string> queue_;
  std::mutex file_mutex_; // held during writes; never by a loop
  append_file file_;
  uint64_t lost_ = 0; // lines, since the last that was written
};

/// Writes the queue ten times per second, and once more when it ends.
caf::behavior access_log_actor(named_actor<"http.access_log">* self,
                               std::shared_ptr<access_log> log);

} // namespace caf_app::http

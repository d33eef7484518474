// The access log: connections put finished lines into a bounded queue, a scheduled actor writes
// them. So a slow disk costs log lines, which are counted, and never the time of a loop.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/http_config.hpp"
#include "actors/http/loop_context.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/registry/asking.hpp"

namespace caf_app::http {

class access_log final : public access_log_sink {
public:
  static constexpr size_t lines_max = 64 * 1024; ///< queued; more are dropped and counted

  /// @param path a file, or "-" for stderr
  /// @returns errc::start_failed if it cannot be opened
  static caf::expected<std::shared_ptr<access_log>> open(std::string path, counter& dropped);

  ~access_log() override;

  void write(std::string line) override;

  /// Opens the path anew, for log rotation. Any thread. @returns errc::io_failed; the old file
  /// stays
  caf::error reopen();

  /// Writes what is queued. For the actor.
  void flush();

private:
  access_log(std::string path, int fd, counter& dropped)
      : path_(std::move(path)), dropped_(dropped), fd_(fd) {}

  std::string path_;
  counter& dropped_;
  std::mutex queue_mutex_;
  std::vector<std::string> queue_;
  std::mutex file_mutex_; // held during writes; never by a loop
  int fd_;
};

/// Writes the queue ten times per second, and once more when it ends.
caf::behavior access_log_actor(app_actor* self, std::shared_ptr<access_log> log);

} // namespace caf_app::http

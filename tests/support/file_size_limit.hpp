// A disk that is full after so many bytes of each file, for the process that runs the test. What
// reaches the limit is written up to it, then EFBIG, as on a disk it would be ENOSPC.
#pragma once

#include <signal.h>
#include <sys/resource.h>

class file_size_limit {
public:
  explicit file_size_limit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    set(bytes);
  }
  ~file_size_limit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

  void set(rlim_t bytes) const {
    const rlimit now{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }

private:
  sighandler_t handler_;
  rlimit before_{};
};

#include "actors/eval/process/output_reader.hpp"

#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace caf_app::eval {

namespace {

/// What a pipe holds unless somebody changes it (pipe(7)): one read takes all that is in it.
constexpr size_t piece_bytes = 64 << 10;

} // namespace

output_reader::output_reader(std::function<void(std::string_view)> take) : take_(std::move(take)) {
  int both[2];
  if (::pipe2(both, O_CLOEXEC) != 0)
    return;
  read_end_ = owned_fd{both[0]};
  write_end_ = owned_fd{both[1]};
  // The reader's end only: the other one is shared with processes that expect to wait.
  ::fcntl(read_end_.get(), F_SETFL, O_NONBLOCK);
  thread_ = std::thread{[this] { run(); }};
}

output_reader::~output_reader() {
  stop_.raise();
  if (thread_.joinable())
    thread_.join();
}

void output_reader::run() {
  std::vector<char> buffer(piece_bytes);
  for (bool last = false; !last;) {
    pollfd waiting[] = {{read_end_.get(), POLLIN, 0}, {stop_.fd(), POLLIN, 0}};
    ::poll(waiting, 2, -1);
    last = waiting[1].revents != 0;
    const auto got = ::read(read_end_.get(), buffer.data(), buffer.size());
    if (got > 0)
      take_({buffer.data(), static_cast<size_t>(got)});
  }
}

} // namespace caf_app::eval

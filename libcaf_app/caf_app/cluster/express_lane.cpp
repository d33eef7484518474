#include "caf_app/cluster/express_lane.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace caf_app {

bool express_lane::note(time_point now) noexcept {
  ++gathered_;
  return now - std::exchange(last_, now) >= gap;
}

size_t express_lane::write(std::string_view bytes) noexcept {
  ssize_t n = 0;
  do
    n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  while (n < 0 && errno == EINTR);
  return n > 0 ? static_cast<size_t>(n) : 0;
}

} // namespace caf_app

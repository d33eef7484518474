#include "nodes/service_notice.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace {

caf::error failed(const std::string& socket, const std::string& why) {
  return caf::make_error(errc::io_failed, "NOTIFY_SOCKET " + socket + ": " + why);
}

} // namespace

service_notice service_notice::of(const char* const* environment) {
  constexpr std::string_view prefix = "NOTIFY_SOCKET=";
  for (; environment && *environment; ++environment)
    if (const std::string_view entry{*environment}; entry.starts_with(prefix))
      return service_notice{std::string{entry.substr(prefix.size())}};
  return service_notice{{}};
}

caf::error service_notice::tell(std::string_view state) const {
  if (socket_.empty())
    return caf::none;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  if ((socket_.front() != '/' && socket_.front() != '@') || socket_.size() >= sizeof to.sun_path)
    return failed(socket_, "expected a path, or @ and a name, of at most " +
                               std::to_string(sizeof to.sun_path - 1) + " bytes");
  std::memcpy(to.sun_path, socket_.data(), socket_.size());
  if (socket_.front() == '@')
    to.sun_path[0] = '\0';
  const auto fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  const auto sent = fd < 0 ? -1
                           : ::sendto(fd, state.data(), state.size(), MSG_NOSIGNAL,
                                      reinterpret_cast<const sockaddr*>(&to), length);
  auto result = sent < 0 ? failed(socket_, std::strerror(errno)) : caf::error{};
  if (fd >= 0)
    ::close(fd);
  return result;
}

} // namespace caf_app

// What the service manager is told (sd_notify(3)): a datagram to the socket that NOTIFY_SOCKET
// names. By hand, since it is one datagram and libsystemd would be a dependency of every node.
#pragma once

#include <string>
#include <string_view>

#include <caf/error.hpp>

namespace caf_app {

class service_notice {
public:
  /// @param socket value of NOTIFY_SOCKET: a path, or `@` and an abstract name; empty: nobody asks
  explicit service_notice(std::string socket) : socket_(std::move(socket)) {}

  /// Reads the value out of the environment that main() was given.
  static service_notice of(const char* const* environment);

  /// Does nothing if nobody asks. Any thread.
  /// @param state lines `NAME=value`, such as "READY=1"
  /// @returns errc::io_failed if the manager cannot be told
  caf::error tell(std::string_view state) const;

private:
  std::string socket_;
};

} // namespace caf_app

// The client side of the admin interface: HTTP over a node's control socket or to an admin URL.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include <caf/expected.hpp>

namespace caf_app {

/// An answer, whatever its status.
struct admin_answer {
  long status = 0; ///< of HTTP
  std::string body;
};

/// Blocks; for programs, not for actors.
class admin_client {
public:
  /// @param socket path of a control socket
  static admin_client over_socket(std::string socket);

  /// @param url for example "http://127.0.0.1:7901"
  /// @param token sent as Authorization: Bearer; may be empty
  static admin_client over_tcp(std::string url, std::string token);

  /// Every call is for another node of the cluster, which the one at the socket or URL reaches.
  admin_client through(std::string node) &&;

  /// Calls that take longer fail; without it they may take 90 s, more than any wait of the
  /// interface.
  admin_client within(std::chrono::seconds time) &&;

  /// @param path without a query
  /// @returns errc::io_failed if nobody answers
  caf::expected<admin_answer> get(const std::string& path) const;
  caf::expected<admin_answer> post(const std::string& path, const std::string& json) const;

  /// The socket or URL, for messages.
  const std::string& target() const noexcept { return socket_.empty() ? url_ : socket_; }

private:
  admin_client() = default;

  caf::expected<admin_answer> call(const std::string& path, const std::string* json) const;

  std::string socket_;
  std::string url_;
  std::string token_;
  std::string node_; // empty: the one that we talk to
  std::chrono::seconds time_max_{90};
};

} // namespace caf_app

#define CAF_SUITE dial_socket
#include "caf_app/cluster/dial_socket.hpp"

#include <cerrno>

#include <caf/test/unit_test.hpp>

#include "support/sockets.hpp"

using namespace caf_app;
using caf_app::test::checked;
using caf_app::test::unique_fd;

namespace {

socket_address own_address(int fd) {
  socket_address result;
  result.size = sizeof result.storage;
  checked(::getsockname(fd, result.get(), &result.size), "getsockname");
  return result;
}

/// Somebody to connect to, at a port that the system picks.
struct target {
  explicit target(const char* host = "127.0.0.1:0") {
    const auto where = parse_socket_address(host);
    fd = unique_fd{checked(::socket(where->family(), SOCK_STREAM, 0), "socket")};
    checked(::bind(fd.get(), where->get(), where->size), "bind");
    checked(::listen(fd.get(), 8), "listen");
    address = own_address(fd.get());
  }

  unique_fd fd;
  socket_address address;
};

/// A port that was free a moment ago.
uint16_t free_port() { return target{}.address.port(); }

unique_fd dial(const target& to, const dial_source& from) {
  return unique_fd{begin_connect(to.address, from)};
}

} // namespace

CAF_TEST(without a source the system picks the port) {
  const target to;
  const unique_fd fd{begin_connect(to.address, std::nullopt)};
  CAF_CHECK(fd.get() >= 0);
  CAF_CHECK_NOT_EQUAL(own_address(fd.get()).port(), 0);
}

CAF_TEST(a link comes from the port and the address that were chosen) {
  const target to;
  const auto port = free_port();
  const auto fd = dial(to, {"127.0.0.2", port, port});
  CAF_REQUIRE(fd.get() >= 0);
  CAF_CHECK_EQUAL(to_string(own_address(fd.get())), "127.0.0.2:" + std::to_string(port));
}

CAF_TEST(a port serves several targets and each target once) {
  const target one;
  const target other;
  const auto port = free_port();
  const dial_source from{"127.0.0.1", port, port};
  const auto first = dial(one, from);
  const auto second = dial(other, from);
  CAF_REQUIRE(first.get() >= 0);
  CAF_REQUIRE(second.get() >= 0);
  CAF_CHECK_EQUAL(own_address(second.get()).port(), port);
  const auto third = begin_connect(one.address, from);
  const auto error = errno;
  CAF_CHECK_EQUAL(third, -1);
  CAF_CHECK_EQUAL(error, EADDRNOTAVAIL);
}

CAF_TEST(a host that is no address is any that leads there) {
  const target to;
  const auto port = free_port();
  const auto fd = dial(to, {"edge.example", port, port});
  CAF_REQUIRE(fd.get() >= 0);
  CAF_CHECK_EQUAL(own_address(fd.get()).port(), port);
}

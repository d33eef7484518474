#define CAF_SUITE listen_socket
#include "caf_app/loop/listen_socket.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/sockets.hpp"

using namespace caf_app;
using namespace caf_app::test;

namespace {

namespace fs = std::filesystem;

socket_address address_of(const std::string& text) { return *parse_socket_address(text); }

bool says(const caf::expected<listen_socket_ptr>& result, const std::string& text) {
  return !result && code_of(result.error()) == errc::start_failed &&
         describe(result.error()).find(text) != std::string::npos;
}

struct fixture {
  fixture() {
    char pattern[] = "/tmp/listen_socket_test.XXXXXX";
    CAF_REQUIRE(::mkdtemp(pattern) != nullptr);
    folder = pattern;
    path = folder / "x.sock";
    address = address_of("unix:" + path.string());
  }
  ~fixture() { fs::remove_all(folder); }

  fs::path folder, path;
  socket_address address;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(listen_socket_tests, fixture)

  CAF_TEST(port zero becomes the port that the kernel chose) {
    std::vector<const char*> loopback{"127.0.0.1:0"};
    if (std::ifstream{"/proc/net/if_inet6"}.peek() != std::ifstream::traits_type::eof())
      loopback.push_back("[::1]:0"); // many containers have no IPv6
    for (const auto* text : loopback) {
      const auto socket = listen_tcp(address_of(text), 8, port_sharing::exclusive);
      CAF_REQUIRE(socket);
      CAF_CHECK((*socket)->address().port() != 0);
      const unique_fd client{connect_to((*socket)->fd())};
    }
  }

  CAF_TEST(an exclusive address in use is refused) {
    const auto first = listen_tcp(address_of("127.0.0.1:0"), 8, port_sharing::exclusive);
    CAF_REQUIRE(first);
    const auto again = listen_tcp((*first)->address(), 8, port_sharing::exclusive);
    CAF_CHECK(says(again, to_string((*first)->address())));
    CAF_CHECK(says(again, "another process listens there"));
  }

  CAF_TEST(a shared address may be bound again) {
    const auto first = listen_tcp(address_of("127.0.0.1:0"), 8, port_sharing::shared);
    CAF_REQUIRE(first);
    const auto again = listen_tcp((*first)->address(), 8, port_sharing::shared);
    CAF_REQUIRE(again);
    CAF_CHECK_EQUAL((*again)->address().port(), (*first)->address().port());
  }

  CAF_TEST(an address of nobody here is refused) {
    CAF_CHECK(says(listen_tcp(address_of("192.0.2.1:0"), 8, port_sharing::exclusive), "bind"));
  }

  CAF_TEST(a socket file is private and goes with the socket) {
    {
      const auto socket = listen_unix(address, 8);
      CAF_REQUIRE(socket);
      struct stat found {};
      CAF_REQUIRE_EQUAL(::lstat(path.c_str(), &found), 0);
      CAF_CHECK(S_ISSOCK(found.st_mode));
      CAF_CHECK_EQUAL(found.st_mode & 0777u, 0600u);
      const unique_fd client{connect_to((*socket)->fd())};
    }
    CAF_CHECK(!fs::exists(path));
  }

  CAF_TEST(a file left by a dead process is replaced) {
    {
      const unique_fd dead{checked(::socket(AF_UNIX, SOCK_STREAM, 0), "socket")};
      checked(::bind(dead.get(), address.get(), address.size), "bind");
    }
    CAF_CHECK(fs::exists(path));
    const auto socket = listen_unix(address, 8);
    CAF_REQUIRE(socket);
    const unique_fd client{connect_to((*socket)->fd())};
  }

  CAF_TEST(a living socket is left alone even when its queue is full) {
    const auto first = listen_unix(address, 1);
    CAF_REQUIRE(first);
    CAF_CHECK(says(listen_unix(address, 8), "another process listens there"));
    unique_fd clients[8]; // never accepted
    for (auto& client : clients) {
      client.reset(checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), "socket"));
      ::connect(client.get(), address.get(), address.size);
    }
    CAF_CHECK(says(listen_unix(address, 8), "another process listens there"));
    CAF_CHECK(fs::exists(path));
  }

  CAF_TEST(a file that is no socket is never removed) {
    std::ofstream{path} << "precious";
    CAF_CHECK(says(listen_unix(address, 8), "bind"));
    std::string content;
    std::ifstream{path} >> content;
    CAF_CHECK_EQUAL(content, "precious");
  }

CAF_TEST(without descriptors a living socket is not taken for dead) {
  const auto first = listen_unix(address, 8);
  CAF_REQUIRE(first);
  rlimit saved{};
  ::getrlimit(RLIMIT_NOFILE, &saved);
  auto none = saved;
  none.rlim_cur = 0;
  ::setrlimit(RLIMIT_NOFILE, &none);
  const auto again = listen_unix(address, 8);
  ::setrlimit(RLIMIT_NOFILE, &saved);
  CAF_CHECK(!again);
  CAF_CHECK(fs::exists(path));
}

CAF_TEST(failures leave no descriptor open) {
  const auto first = listen_tcp(address_of("127.0.0.1:0"), 8, port_sharing::exclusive);
  CAF_REQUIRE(first);
  std::ofstream{path} << "precious";
  const auto before = open_descriptors();
  CAF_CHECK(!listen_tcp((*first)->address(), 8, port_sharing::exclusive));
  CAF_CHECK(!listen_tcp(address_of("192.0.2.1:0"), 8, port_sharing::shared));
  CAF_CHECK(!listen_unix(address, 8));
  CAF_CHECK_EQUAL(open_descriptors(), before);
}

CAF_TEST_FIXTURE_SCOPE_END()

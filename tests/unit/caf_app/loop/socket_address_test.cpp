#define CAF_SUITE socket_address
#include "caf_app/loop/socket_address.hpp"

#include <string>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace std::string_literals;
using namespace caf_app;

CAF_TEST(addresses are written as they were read) {
  struct row {
    std::string text;
    int family;
    uint16_t port;
    std::string host;
  };
  const std::vector<row> table{
      {"127.0.0.1:8080", AF_INET, 8080, "127.0.0.1"},
      {"0.0.0.0:0", AF_INET, 0, "0.0.0.0"},
      {"255.255.255.255:65535", AF_INET, 65535, "255.255.255.255"},
      {"[::1]:8080", AF_INET6, 8080, "::1"},
      {"[::]:0", AF_INET6, 0, "::"},
      {"[2001:db8::7]:443", AF_INET6, 443, "2001:db8::7"},
      {"[::ffff:10.0.0.1]:1", AF_INET6, 1, "::ffff:10.0.0.1"},
      {"unix:/run/x.sock", AF_UNIX, 0, ""},
      {"unix:/" + std::string(106, 'p'), AF_UNIX, 0, ""},
      {"unix:/with:colons [and] spaces", AF_UNIX, 0, ""},
  };
  for (const auto& [text, family, port, host] : table) {
    const auto address = parse_socket_address(text);
    if (!address)
      CAF_FAIL(text);
    CAF_CHECK_EQUAL(address->family(), family);
    CAF_CHECK_EQUAL(address->port(), port);
    CAF_CHECK_EQUAL(host_of(*address), host);
    CAF_CHECK_EQUAL(to_string(*address), text);
  }
}

CAF_TEST(other spellings are normalised) {
  CAF_CHECK_EQUAL(to_string(*parse_socket_address("127.0.0.1:080")), "127.0.0.1:80");
  CAF_CHECK_EQUAL(to_string(*parse_socket_address("[0:0::0001]:80")), "[::1]:80");
  CAF_CHECK_EQUAL(to_string(*parse_socket_address("[ABCD::]:80")), "[abcd::]:80");
}

CAF_TEST(bad addresses are refused with what was found) {
  const std::vector<std::string> table{
      "",
      ":",
      ":80",
      "80",
      "127.0.0.1",
      "127.0.0.1:",
      "127.0.0.1:x",
      "127.0.0.1:80x",
      "127.0.0.1: 80",
      "127.0.0.1:+80",
      "127.0.0.1:-1",
      "127.0.0.1:65536",
      "127.0.0.1:99999999999999999999",
      "127.0.0:80",
      "127.0.0.256:80",
      " 127.0.0.1:80",
      "127.0.0.1 :80",
      "[127.0.0.1]:80",
      "localhost:80",
      "example.org:80",
      "::1:80",
      "[::1]",
      "[::1:80",
      "::1]:80",
      "[]:80",
      "[:::1]:80",
      "[::1]80",
      "[::1%lo]:80",
      "*:80",
      "unix:",
      "tcp:127.0.0.1:80x",
  };
  for (const auto& text : table) {
    const auto address = parse_socket_address(text);
    if (address)
      CAF_FAIL("accepted " << text);
    CAF_CHECK_EQUAL(code_of(address.error()), errc::invalid_argument);
    CAF_CHECK(describe(address.error()).find("\"" + text + "\"") != std::string::npos);
  }
}

CAF_TEST(a null byte is no way to hide the rest) {
  for (const auto& text : {"127.0.0.1\0x:80"s, "[::1\0]:80"s, "unix:/a\0b"s, "\0"s})
    CAF_CHECK(!parse_socket_address(text));
}

CAF_TEST(a path that does not fit names both lengths) {
  const auto address = parse_socket_address("unix:/" + std::string(107, 'p'));
  CAF_REQUIRE(!address);
  CAF_CHECK_EQUAL(code_of(address.error()), errc::invalid_argument);
  CAF_CHECK(describe(address.error()).find("has 108 bytes; at most 107 fit") != std::string::npos);
}

CAF_TEST(a peer without a name is unix with nothing behind it) {
  socket_address unnamed;
  unnamed.storage.ss_family = AF_UNIX;
  unnamed.size = sizeof(sa_family_t);
  CAF_CHECK_EQUAL(to_string(unnamed), "unix:");
  CAF_CHECK_EQUAL(host_of(unnamed), "");
  CAF_CHECK_EQUAL(unnamed.port(), 0);
}

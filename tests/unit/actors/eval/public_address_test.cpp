#define CAF_SUITE public_address
#include "actors/eval/public_address.hpp"

#include <string>

#include <arpa/inet.h>

#include <caf/test/unit_test.hpp>

using caf_app::eval::is_public_address;

namespace {

bool is_public(const char* text) {
  uint8_t bytes[16];
  if (::inet_pton(AF_INET, text, bytes) == 1)
    return is_public_address({bytes, 4});
  CAF_REQUIRE_EQUAL(::inet_pton(AF_INET6, text, bytes), 1);
  return is_public_address({bytes, 16});
}

std::string verdict(const char* text) {
  return std::string{text} + (is_public(text) ? " is public" : " is not public");
}

} // namespace

CAF_TEST(addresses of the Internet are public) {
  for (auto text : {"1.1.1.1",        "8.8.8.8",        "9.255.255.255",   "11.0.0.0",
                    "100.63.255.255", "100.128.0.0",    "126.255.255.255", "128.0.0.0",
                    "172.15.255.255", "172.32.0.0",     "192.167.255.255", "192.169.0.0",
                    "198.17.255.255", "198.20.0.0",     "223.255.255.255", "2606:4700::1111",
                    "2a00:1450::1",   "::ffff:8.8.8.8", "2002:808:808::1", "64:ff9b::808:808"})
    CAF_CHECK_EQUAL(verdict(text), std::string{text} + " is public");
}

CAF_TEST(special addresses are not ) {
  for (auto text : {"0.0.0.0",
                    "10.0.0.0",
                    "10.255.255.255",
                    "100.64.0.0",
                    "100.127.255.255",
                    "127.0.0.1",
                    "127.255.255.255",
                    "169.254.169.254",
                    "172.16.0.0",
                    "172.31.255.255",
                    "192.0.0.1",
                    "192.0.2.1",
                    "192.168.0.1",
                    "198.18.0.0",
                    "198.19.255.255",
                    "198.51.100.1",
                    "203.0.113.1",
                    "224.0.0.1",
                    "239.1.1.1",
                    "240.0.0.1",
                    "255.255.255.255",
                    "::",
                    "::1",
                    "fe80::1",
                    "fc00::1",
                    "fd12::1",
                    "ff02::1",
                    "2001:db8::1",
                    "2001::1",
                    "::ffff:127.0.0.1",
                    "::ffff:10.0.0.1",
                    "64:ff9b::7f00:1",
                    "2002:7f00:1::",
                    "2002:a00:1::1"})
    CAF_CHECK_EQUAL(verdict(text), std::string{text} + " is not public");
}

CAF_TEST(other lengths are not addresses) {
  const uint8_t bytes[17] = {8, 8, 8, 8};
  for (size_t size : {0u, 3u, 5u, 15u, 17u})
    CAF_CHECK(!is_public_address({bytes, size}));
}

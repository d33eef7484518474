#define CAF_SUITE address
#include "caf_app/base/address.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"

using namespace caf_app;

CAF_TEST(the three kinds of hosts are told apart) {
  const std::vector<std::tuple<std::string, host_port>> rows{
      {"127.0.0.1:8080", {"127.0.0.1", 8080, host_kind::ipv4}},
      {"0.0.0.0:0", {"0.0.0.0", 0, host_kind::ipv4}},
      {"[::1]:8080", {"::1", 8080, host_kind::ipv6}},
      {"[2001:db8::7]:65535", {"2001:db8::7", 65535, host_kind::ipv6}},
      {"localhost:1", {"localhost", 1, host_kind::name}},
      {"db-1.example_2.org:5432", {"db-1.example_2.org", 5432, host_kind::name}},
  };
  for (const auto& [text, wanted] : rows) {
    CAF_MESSAGE(text);
    const auto parsed = parse_host_port(text);
    CAF_REQUIRE(parsed);
    CAF_CHECK(*parsed == wanted);
    CAF_CHECK_EQUAL(to_string(*parsed), text);
  }
}

CAF_TEST(everything else is refused) {
  const std::vector<std::string> rows{
      "",
      "8080",
      ":8080",
      "127.0.0.1",
      "127.0.0.1:",
      "127.0.0.1:x",
      "1.2.3.4:-1",
      "1.2.3.4:+1",
      "1.2.3.4:65536",
      "1.2.3:80",
      "256.1.1.1:80",
      "01.2.3.4:80",
      "1.2.3.4.:80",
      "::1:80",
      "[::1]",
      "[::1:80",
      "[]:80",
      "[1.2.3.4]:80",
      "[::g]:80",
      "[localhost]:80",
      "-a.org:80",
      "a-.org:80",
      "a..org:80",
      "a b:80",
      "a/b:80",
      "user@a:80",
      " a:80",
      "a:80 ",
      std::string(64, 'a') + ":80",
  };
  for (const auto& text : rows) {
    CAF_MESSAGE(text);
    CAF_CHECK(!parse_host_port(text));
  }
}

CAF_TEST(labels and names have a longest length) {
  const std::string label(63, 'a');
  CAF_CHECK(parse_host_port(label + ":80"));
  CAF_CHECK(
      parse_host_port(label + "." + label + "." + label + "." + std::string(61, 'b') + ":80"));
  CAF_CHECK(
      !parse_host_port(label + "." + label + "." + label + "." + std::string(62, 'b') + ":80"));
}

CAF_TEST(a refusal quotes the text and shows what would do) {
  const auto parsed = parse_host_port("8080");
  CAF_REQUIRE(!parsed);
  CAF_CHECK_EQUAL(describe(parsed.error()),
                  "invalid argument: found \"8080\", expected \"host:port\" such as "
                  "\"127.0.0.1:8080\" or \"[::1]:8080\"");
}

CAF_TEST(only addresses of this host are loopback) {
  for (const auto* text :
       {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[0:0:0:0:0:0:0:1]:1", "localhost:1"})
    CAF_CHECK(is_loopback(*parse_host_port(text)));
  for (const auto* text :
       {"0.0.0.0:1", "128.0.0.1:1", "[::]:1", "[::2]:1", "localhost.example.org:1"})
    CAF_CHECK(!is_loopback(*parse_host_port(text)));
}

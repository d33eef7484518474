#define CAF_SUITE host

#include "actors/http/host.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

// The folded name and the port, or "invalid".
std::string parse(std::string_view text) {
  const auto parts = parse_authority(text);
  if (!parts)
    return "invalid";
  std::string scratch;
  std::string result{fold_host(*parts, scratch)};
  return parts->port ? result + " " + std::to_string(*parts->port) : result;
}

} // namespace

CAF_TEST(a name is folded and loses one dot) {
  CAF_CHECK_EQUAL(parse("Example.ORG."), "example.org");
  CAF_CHECK_EQUAL(parse("my_app"), "my_app");
  CAF_CHECK_EQUAL(parse("127.0.0.1"), "127.0.0.1");
}

CAF_TEST(a name in lower case is used where it lies) {
  const std::string text = "example.org";
  std::string scratch;
  CAF_CHECK(fold_host(*parse_authority(text), scratch).data() == text.data());
}

CAF_TEST(the port may be empty) {
  CAF_CHECK_EQUAL(parse("a:"), "a");
  CAF_CHECK_EQUAL(parse("a:0"), "a 0");
  CAF_CHECK_EQUAL(parse("a.:65535"), "a 65535");
  CAF_CHECK_EQUAL(parse("[::1]:8"), "[::1] 8");
  for (auto text : {"a:65536", "a:-1", "a:1x", "a:1:2", "[::1]:65536", "[::1]8", "[::1]:x"})
    CAF_CHECK_EQUAL(parse(text), "invalid");
}

CAF_TEST(what is no host is refused) {
  for (auto text :
       {"",    ".",    "..",       ".a", "a..b", "a..",  ":1",  "u@a", "a%20",   "a b",      "a/b",
        "a,b", "a\\b", "\xc3\xa4", "[",  "[]",   "[::1", "::1", "[a]", "[v1.x]", "[::1%25e]"})
    CAF_CHECK_EQUAL(parse(text), "invalid");
}

CAF_TEST(a name has at most 255 bytes) {
  CAF_CHECK_EQUAL(parse(std::string(255, 'a')), std::string(255, 'a'));
  CAF_CHECK_EQUAL(parse(std::string(256, 'a')), "invalid");
}

CAF_TEST(IPv6 addresses have eight groups or fewer around a gap) {
  for (auto text :
       {"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8",
        "fe80::AbCd", "::ffff:1.2.3.4", "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4"})
    CAF_CHECK(is_ipv6(text));
  for (auto text : {"", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
                    "1:", ":1", "12345::", "g::", "1:2:3:4:5:6:7:8::", "::1.2.3", "::1.2.3.256",
                    "::01.2.3.4", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4"})
    CAF_CHECK(!is_ipv6(text));
}

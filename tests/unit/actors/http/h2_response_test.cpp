#define CAF_SUITE h2_response
#include "actors/http/h2_response.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string shown(const h2_block& block) {
  std::string result;
  for (const auto& each : block.lines())
    result.append(block.bytes() + each.name, each.name_size)
        .append("=")
        .append(block.bytes() + each.value, each.value_size)
        .append(";");
  return result;
}

} // namespace

CAF_TEST(a head is its status and fields in lower case without those of connections) {
  const field fields[]{{"X-A", " b "},           {"Connection", "close"},
                       {"Keep-Alive", "5"},      {"Upgrade", "x"},
                       {"Content-Length", "99"}, {"Transfer-Encoding", "chunked"},
                       {"proxy-connection", "x"}};
  h2_block block;
  CAF_CHECK(block.set({200, 3, "now", "us", "text/plain", fields}));
  CAF_CHECK_EQUAL(shown(block), ":status=200;date=now;server=us;content-type=text/plain;"
                                "content-length=3;x-a=b;");
}

CAF_TEST(statuses without content have no length) {
  h2_block block;
  for (const uint16_t status : {100, 103, 204, 304}) {
    CAF_CHECK(block.set({status, 0, "", "", "", {}}));
    CAF_CHECK_EQUAL(shown(block), ":status=" + std::to_string(status) + ";");
  }
}

CAF_TEST(what is not valid leaves nothing) {
  h2_block block;
  const std::string_view zero{"a\0b", 3};
  for (const auto& bad : {field{"x", "a\nb"}, field{"x", "a\rb"}, field{"x", zero}, field{"", "a"},
                          field{"a b", "c"}, field{":path", "/"}}) {
    CAF_CHECK(!block.set({200, {}, "", "", "", {&bad, 1}}));
    CAF_CHECK(block.lines().empty());
  }
}

CAF_TEST(content leaves in order and forgets what was sent) {
  h2_outflow out;
  CAF_CHECK(out.write("abc"));
  out.drop(2);
  CAF_CHECK(out.write("def"));
  CAF_CHECK_EQUAL(out.waiting(), "cdef");
  out.drop(4);
  CAF_CHECK_EQUAL(out.waiting(), "");
  CAF_CHECK(out.write("g"));
  CAF_CHECK_EQUAL(out.waiting(), "g");
}

CAF_TEST(a promised length is kept to the byte) {
  h2_outflow exact;
  exact.promise(3);
  CAF_CHECK(exact.write("ab"));
  CAF_CHECK(exact.write("c"));
  CAF_CHECK(exact.finish());
  h2_outflow more;
  more.promise(3);
  CAF_CHECK(!more.write("abcd"));
  h2_outflow less;
  less.promise(3);
  CAF_CHECK(less.write("ab"));
  CAF_CHECK(!less.finish());
}

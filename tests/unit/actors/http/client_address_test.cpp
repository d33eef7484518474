#define CAF_SUITE client_address
#include "actors/http/client_address.hpp"

#include <set>

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::vector<address_block> blocks(std::initializer_list<const char*> texts) {
  std::vector<address_block> result;
  for (const auto* text : texts) {
    const auto block = parse_address_block(text);
    CAF_REQUIRE(block.has_value());
    result.push_back(*block);
  }
  return result;
}

struct fixture {
  void add(const char* name, const char* value) {
    fields.push_back({name, value, find_known_field(name)});
  }
  std::string client(const char* peer) const { return client_address(peer, fields, trusted); }

  field_list fields;
  std::vector<address_block> trusted = blocks({"10.0.0.0/8", "::1", "2001:db8::/32"});
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(client_address_tests, fixture)

  CAF_TEST(blocks are addresses with a length) {
    for (const auto* good : {"10.0.0.0/8", "0.0.0.0/0", "::/0", "192.0.2.7", "192.0.2.7/32", "::1",
                             "2001:db8::/32", "fe80::/10", "::ffff:10.0.0.0/104"})
      CAF_CHECK(parse_address_block(good).has_value());
    for (const auto* bad :
         {"", "10.0.0.1/8", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "10.0.0.0/8 ",
          "::/129", "2001:db8::1/32", "host", "10.0.0.0/08x", "/8"})
      CAF_CHECK(!parse_address_block(bad).has_value());
  }

  CAF_TEST(an address is within a block bit by bit) {
    const auto odd = blocks({"192.0.2.128/25", "2001:db8:8000::/33"});
    CAF_CHECK(is_within("192.0.2.128", odd));
    CAF_CHECK(is_within("192.0.2.255", odd));
    CAF_CHECK(is_within("::ffff:192.0.2.200", odd));
    CAF_CHECK(!is_within("192.0.2.127", odd));
    CAF_CHECK(is_within("2001:db8:8000::1", odd));
    CAF_CHECK(!is_within("2001:db8:7fff::1", odd));
    CAF_CHECK(!is_within("name", odd));
    CAF_CHECK(is_within("1.2.3.4", blocks({"0.0.0.0/0"})));
    CAF_CHECK(!is_within("::2", blocks({"0.0.0.0/0"})));
  }

  CAF_TEST(ports and brackets come off) {
    CAF_CHECK_EQUAL(without_port("192.0.2.1:80"), "192.0.2.1");
    CAF_CHECK_EQUAL(without_port("[::1]:80"), "::1");
    CAF_CHECK_EQUAL(without_port("[::1]"), "::1");
    CAF_CHECK_EQUAL(without_port("::1"), "::1");
    CAF_CHECK_EQUAL(without_port("192.0.2.1"), "192.0.2.1");
    CAF_CHECK_EQUAL(without_port(""), "");
  }

  CAF_TEST(nobody believes a stranger) {
    add("X-Forwarded-For", "1.2.3.4");
    add("Forwarded", "for=1.2.3.4");
    CAF_CHECK_EQUAL(client("192.0.2.1:80"), "192.0.2.1");
  }

  CAF_TEST(a chain is read from its end) {
    CAF_CHECK_EQUAL(client("10.1.1.1:80"), "10.1.1.1");
    add("X-Forwarded-For", "6.6.6.6, 1.2.3.4");
    add("x-forwarded-for", "10.2.2.2:99");
    CAF_CHECK_EQUAL(client("10.1.1.1:80"), "1.2.3.4"); // 6.6.6.6 is what the client says
    CAF_CHECK_EQUAL(client("[::1]:80"), "1.2.3.4");
  }

  CAF_TEST(what is no address ends a chain) {
    add("X-Forwarded-For", "1.2.3.4, unknown, 10.2.2.2");
    CAF_CHECK_EQUAL(client("10.1.1.1:80"), "10.2.2.2");
  }

  CAF_TEST(a chain of trusted ones ends at its first) {
    add("X-Forwarded-For", "10.3.3.3, 10.2.2.2");
    CAF_CHECK_EQUAL(client("10.1.1.1:80"), "10.3.3.3");
  }

  CAF_TEST(Forwarded is read if there is no other) {
    add("Forwarded", "for=6.6.6.6;proto=http, For=\"[2001:db9::7]:47\";by=x");
    add("Forwarded", "proto=https;for=\"10.4.4.4:80\"");
    CAF_CHECK_EQUAL(client("10.1.1.1:80"), "2001:db9::7");
  }

  CAF_TEST(an id is made unless a trusted peer has one) {
    add("X-Request-Id", "abc-123");
    CAF_CHECK_EQUAL(request_id("10.1.1.1:1", fields, trusted, 1, 2), "abc-123");
    const auto made = request_id("192.0.2.1:1", fields, trusted, 1, 2);
    CAF_CHECK_EQUAL(made.size(), 32u);
    CAF_CHECK_NOT_EQUAL(made, "abc-123");
    add("X-Request-Id", "second");
    CAF_CHECK_EQUAL(request_id("10.1.1.1:1", fields, trusted, 1, 2).size(), 32u);
  }

  CAF_TEST(an id with odd bytes or too many is not taken over) {
    for (const auto& [value, taken] : {std::pair{std::string(128, 'x'), true},
                                       {std::string(129, 'x'), false},
                                       {std::string{"a b"}, false},
                                       {std::string{"a\x80"}, false},
                                       {std::string{}, false}}) {
      field_list one;
      one.push_back({"x-request-id", value, known_field::x_request_id});
      CAF_CHECK_EQUAL(request_id("10.1.1.1:1", one, trusted, 1, 2) == value, taken);
    }
  }

  CAF_TEST(made ids differ) {
    std::set<std::string> seen;
    for (uint64_t i = 0; i < 10'000; ++i)
      seen.insert(request_id("1.1.1.1:1", fields, trusted, 7, i));
    CAF_CHECK_EQUAL(seen.size(), 10'000u);
    CAF_CHECK_NOT_EQUAL(request_id("1.1.1.1:1", fields, trusted, 7, 0),
                        request_id("1.1.1.1:1", fields, trusted, 8, 0));
  }

  CAF_TEST_FIXTURE_SCOPE_END()

#define CAF_SUITE tls_ticket_keys
#include "caf_app/loop/tls_ticket_keys.hpp"

#include <caf/test/unit_test.hpp>

using caf_app::tls_ticket_keys;

namespace {

// A key whose bytes are all `c`.
std::string key(char c) { return std::string(tls_ticket_keys::key_bytes, c); }

} // namespace

CAF_TEST(a ring survives the way to another process) {
  const auto ring = tls_ticket_keys::random();
  CAF_REQUIRE(ring);
  const auto copy = tls_ticket_keys::from_bytes(ring->to_bytes());
  CAF_REQUIRE(copy);
  CAF_CHECK(copy->to_bytes() == ring->to_bytes());
  CAF_CHECK(ring->to_bytes() != tls_ticket_keys::random()->to_bytes());
}

CAF_TEST(one key fills the whole ring and other sizes are refused) {
  CAF_CHECK(tls_ticket_keys::from_bytes(key('a'))->to_bytes() == key('a') + key('a') + key('a'));
  for (const size_t size : {0, 79, 81, 160, 239, 241})
    CAF_CHECK(!tls_ticket_keys::from_bytes(std::string(size, 'x')));
}

CAF_TEST(a turn moves each key one place and forgets the oldest) {
  const auto ring = *tls_ticket_keys::from_bytes(key('p') + key('c') + key('n'));
  CAF_CHECK(ring.current().name == std::string(16, 'c'));
  const auto turned = *ring.rotated(key('f'));
  CAF_CHECK(turned.to_bytes() == key('c') + key('n') + key('f'));
  CAF_CHECK(!ring.rotated("short"));
  CAF_CHECK(ring.rotated()->to_bytes().starts_with(key('c') + key('n')));
}

CAF_TEST(all three keys open tickets and others do not ) {
  const auto ring = *tls_ticket_keys::from_bytes(key('p') + key('c') + key('n'));
  for (const auto name : {'p', 'c', 'n'}) {
    const auto found = ring.find(std::string(16, name));
    CAF_REQUIRE(found);
    CAF_CHECK(found->cipher == std::string(32, name));
    CAF_CHECK(found->mac == std::string(32, name));
  }
  CAF_CHECK(!ring.find(std::string(16, 'x')));
  CAF_CHECK(!ring.find(""));
}

#define CAF_SUITE digest
#include "actors/eval/digest.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::eval;

CAF_TEST(SHA - 256 agrees with FIPS 180 - 4) {
  CAF_CHECK_EQUAL(sha256_hex("abc"),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

CAF_TEST(HMAC agrees with RFC 4231 case 2) {
  CAF_CHECK_EQUAL(hmac_sha256_hex("Jefe", "what do ya want for nothing?"),
                  "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

CAF_TEST(digests compare by all their bytes) {
  CAF_CHECK(same_digest("ab", "ab"));
  CAF_CHECK(!same_digest("ab", "ac"));
  CAF_CHECK(!same_digest("ab", "abc"));
}

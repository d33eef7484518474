#define CAF_SUITE artefact
#include "actors/eval/artefact.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/eval/digest.hpp"

using namespace caf_app::eval;

namespace {

const std::string whole = "the bytes of a driver";

std::string fault(std::optional<std::string> why) { return why.value_or("fine"); }

} // namespace

CAF_TEST(pieces of any size make the whole) {
  for (size_t size = 1; size <= whole.size(); ++size) {
    artefact_assembly to{whole.size(), sha256_hex(whole)};
    for (size_t at = 0; at < whole.size(); at += size) {
      CAF_CHECK(!to.complete());
      CAF_CHECK_EQUAL(to.next_offset(), at);
      CAF_CHECK_EQUAL(fault(to.feed(at, std::string_view{whole}.substr(at, size))), "fine");
    }
    CAF_CHECK(to.complete());
    CAF_CHECK_EQUAL(to.content(), whole);
  }
}

CAF_TEST(a changed byte is noticed) {
  for (size_t i = 0; i < whole.size(); ++i) {
    auto changed = whole;
    changed[i] ^= 1;
    artefact_assembly to{whole.size(), sha256_hex(whole)};
    CAF_CHECK_EQUAL(fault(to.feed(0, changed)), "the digest of the artefact does not match");
  }
}

CAF_TEST(pieces come in order and fit) {
  artefact_assembly to{10, "x"};
  CAF_CHECK_EQUAL(fault(to.feed(1, "a")), "a piece at 1, expected 0");
  CAF_CHECK_EQUAL(fault(to.feed(0, "")), "a piece of 0 bytes, expected 1 to 10");
  CAF_CHECK_EQUAL(fault(to.feed(0, "12345678901")), "a piece of 11 bytes, expected 1 to 10");
  CAF_CHECK_EQUAL(fault(to.feed(0, "123456789")), "fine");
  CAF_CHECK_EQUAL(fault(to.feed(0, "1")), "a piece at 0, expected 9");
}

CAF_TEST(the size of an artefact is limited) {
  const auto expected = ", expected 1 to 268435456";
  const auto with = [](uint64_t total) { return fault(artefact_assembly{total, ""}.feed(0, "x")); };
  CAF_CHECK_EQUAL(with(0), std::string{"an artefact of 0 bytes"} + expected);
  CAF_CHECK_EQUAL(with(artefact_bytes_max), "fine");
  CAF_CHECK_EQUAL(with(artefact_bytes_max + 1),
                  std::string{"an artefact of 268435457 bytes"} + expected);
}

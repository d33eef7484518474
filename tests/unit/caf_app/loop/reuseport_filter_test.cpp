#define CAF_SUITE reuseport_filter
#include "caf_app/loop/reuseport_filter.hpp"

#include <map>

#include <caf/test/unit_test.hpp>

using namespace caf_app;

namespace {

/// Runs a program with a given random number.
unsigned run(const std::vector<sock_filter>& code, uint32_t random) {
  uint32_t a = 0;
  for (size_t pc = 0; pc < code.size(); ++pc) {
    const auto& x = code[pc];
    switch (x.code) {
      case BPF_LD | BPF_W | BPF_ABS:
        CAF_REQUIRE_EQUAL(x.k, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_RANDOM));
        a = random;
        break;
      case BPF_ALU | BPF_MOD | BPF_K: a %= x.k; break;
      case BPF_JMP | BPF_JEQ | BPF_K: pc += a == x.k ? x.jt : x.jf; break;
      case BPF_RET | BPF_K: return x.k;
      default: CAF_FAIL("unknown instruction");
    }
  }
  CAF_FAIL("it does not return");
  return 0;
}

const auto table =
    R"(  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 2 1 0 100 0 0 10 0
   2: 00000000:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 3 1 0 100 0 0 10 0
   3: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000     0        0 4 1 0 100 0 0 10 0
   4: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 5 1 0 100 0 0 10 0
)";

const auto table6 =
    R"(  sl  local_address                         remote_address                        st
   0: 00000000000000000000000001000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000
   1: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 00000000:00000000
)";

size_t count(const char* text, const char* address) {
  return count_listeners(text, *parse_socket_address(address));
}

} // namespace

CAF_TEST(a fixed index is returned) {
  for (unsigned i : {0U, 1U, 7U})
    CAF_CHECK_EQUAL(run(return_index(i), 12345), i);
}

CAF_TEST(a draw is uniform over the given indices) {
  for (const auto& indices : {std::vector<unsigned>{3}, {0, 2}, {1, 2, 5, 7}}) {
    const auto code = draw_among(indices);
    std::map<unsigned, size_t> drawn;
    for (uint32_t random = 0; random < 120; ++random)
      ++drawn[run(code, random)];
    CAF_CHECK_EQUAL(drawn.size(), indices.size());
    for (const auto index : indices)
      CAF_CHECK_EQUAL(drawn[index], 120 / indices.size());
  }
}

CAF_TEST(the others are all but the own) {
  const std::vector<unsigned> own{1, 3};
  const std::vector<unsigned> wanted{0, 2, 4};
  CAF_CHECK_EQUAL(other_indices(5, own), wanted);
  CAF_CHECK(other_indices(0, own).empty());
}

CAF_TEST(listening sockets of exactly one address are counted) {
  CAF_CHECK_EQUAL(count(table, "127.0.0.1:8080"), 2u);
  CAF_CHECK_EQUAL(count(table, "0.0.0.0:8080"), 1u);
  CAF_CHECK_EQUAL(count(table, "127.0.0.1:8081"), 1u);
  CAF_CHECK_EQUAL(count(table, "127.0.0.2:8080"), 0u);
  CAF_CHECK_EQUAL(count(table6, "[::1]:8080"), 1u);
  CAF_CHECK_EQUAL(count(table6, "[::]:8080"), 1u);
  CAF_CHECK_EQUAL(count("", "127.0.0.1:8080"), 0u);
}

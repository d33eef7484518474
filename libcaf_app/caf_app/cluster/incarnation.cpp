#include "caf_app/cluster/incarnation.hpp"

namespace caf_app {

namespace {

void append_hex(std::string& out, uint64_t x) {
  for (int shift = 60; shift >= 0; shift -= 4)
    out.push_back("0123456789abcdef"[(x >> shift) & 0xf]);
}

} // namespace

std::string to_string(const incarnation& x) {
  std::string text;
  append_hex(text, x.high);
  append_hex(text, x.low);
  return text;
}

std::string to_string(const member_id& x) { return x.name + '/' + to_string(x.life).substr(0, 8); }

} // namespace caf_app

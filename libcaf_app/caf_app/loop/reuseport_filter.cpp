#include "caf_app/loop/reuseport_filter.hpp"

#include <netinet/in.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "caf_app/base/assert.hpp"

namespace caf_app {

namespace {

constexpr std::string_view listen_state = "0A";

sock_filter statement(uint16_t code, uint32_t k) { return BPF_STMT(code, k); }

/// An address as /proc/net/tcp writes it: 32-bit words as numbers of this machine, then the port.
std::string as_in_proc(const socket_address& address) {
  std::string result;
  const auto append = [&](uint32_t word) {
    char text[9];
    std::snprintf(text, sizeof text, "%08X", word);
    result += text;
  };
  if (address.family() == AF_INET6) {
    const auto& in6 = reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr;
    for (size_t i = 0; i < 4; ++i) {
      uint32_t word = 0;
      std::memcpy(&word, in6.s6_addr + 4 * i, sizeof word);
      append(word);
    }
  } else {
    append(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr.s_addr);
  }
  char port[8];
  std::snprintf(port, sizeof port, ":%04X", static_cast<unsigned>(address.port()));
  return result + port;
}

std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const auto word = text.substr(0, text.find(' '));
  text.remove_prefix(word.size());
  return word;
}

} // namespace

std::vector<sock_filter> return_index(unsigned index) {
  return {statement(BPF_RET | BPF_K, index)};
}

std::vector<sock_filter> draw_among(std::span<const unsigned> indices) {
  CAF_APP_ASSERT(!indices.empty());
  const auto count = static_cast<uint32_t>(indices.size());
  std::vector<sock_filter> result{
      statement(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(SKF_AD_OFF + SKF_AD_RANDOM)),
      statement(BPF_ALU | BPF_MOD | BPF_K, count)};
  for (uint32_t i = 0; i + 1 < count; ++i) {
    result.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, i, 0, 1));
    result.push_back(statement(BPF_RET | BPF_K, indices[i]));
  }
  result.push_back(statement(BPF_RET | BPF_K, indices.back()));
  return result;
}

std::vector<unsigned> other_indices(size_t count, std::span<const unsigned> own) {
  std::vector<unsigned> result;
  for (unsigned i = 0; i < count; ++i)
    if (std::find(own.begin(), own.end(), i) == own.end())
      result.push_back(i);
  return result;
}

size_t count_listeners(std::string_view table, const socket_address& address) {
  const auto wanted = as_in_proc(address);
  size_t result = 0;
  while (!table.empty()) {
    const auto end = std::min(table.find('\n'), table.size());
    auto line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    take_word(line); // its number
    const auto local = take_word(line);
    take_word(line); // the other end
    result += local == wanted && take_word(line) == listen_state ? 1 : 0;
  }
  return result;
}

} // namespace caf_app

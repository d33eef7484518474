#include "actors/http/client_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace caf_app::http {

namespace {

constexpr size_t request_id_bytes_max = 128;
constexpr size_t steps_max = 32; // proxies in a row that are believed

using address_bytes = std::array<uint8_t, 16>;

bool parse_address(std::string_view text, address_bytes& out, bool& is_v4) {
  char buffer[INET6_ADDRSTRLEN + 1];
  if (text.empty() || text.size() >= sizeof buffer)
    return false;
  std::memcpy(buffer, text.data(), text.size());
  buffer[text.size()] = '\0';
  in_addr v4{};
  is_v4 = inet_pton(AF_INET, buffer, &v4) == 1;
  if (is_v4) {
    out = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::memcpy(out.data() + 12, &v4, sizeof v4);
    return true;
  }
  return inet_pton(AF_INET6, buffer, out.data()) == 1;
}

bool same_prefix(const address_bytes& a, const address_bytes& b, unsigned bits) {
  const auto whole = bits / 8;
  if (!std::equal(a.begin(), a.begin() + whole, b.begin()))
    return false;
  const auto mask = static_cast<uint8_t>(0xff00u >> (bits % 8));
  return bits % 8 == 0 || ((a[whole] ^ b[whole]) & mask) == 0;
}

// The node of "for=" as an address: quotes, brackets and a port come off.
std::string_view node_of(std::string_view value) {
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return without_port(value);
}

// "for=..." of one element of Forwarded.
std::string_view forwarded_for(std::string_view element) {
  while (!element.empty()) {
    const auto end = std::min(element.find(';'), element.size());
    const auto pair = trim_blanks(element.substr(0, end));
    const auto sign = pair.find('=');
    if (sign != std::string_view::npos &&
        equals_ignoring_case(trim_blanks(pair.substr(0, sign)), "for"))
      return node_of(trim_blanks(pair.substr(sign + 1)));
    element.remove_prefix(std::min(end + 1, element.size()));
  }
  return {};
}

// What proxies have written, oldest first.
std::vector<std::string_view> chain_of(const field_list& fields) {
  const auto has_list = fields.has(known_field::x_forwarded_for);
  const auto id = has_list ? known_field::x_forwarded_for : known_field::forwarded;
  std::vector<std::string_view> result;
  for (const auto& line : fields) {
    if (line.id != id)
      continue;
    auto rest = line.value;
    while (const auto element = next_list_element(rest))
      result.push_back(has_list ? without_port(*element) : forwarded_for(*element));
  }
  return result;
}

bool is_request_id(std::string_view text) {
  return !text.empty() && text.size() <= request_id_bytes_max &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

} // namespace

std::optional<address_block> parse_address_block(std::string_view text) {
  address_block result;
  const auto slash = text.find('/');
  auto is_v4 = false;
  if (!parse_address(text.substr(0, slash), result.bytes, is_v4))
    return std::nullopt;
  if (slash != std::string_view::npos) {
    const auto digits = text.substr(slash + 1);
    unsigned bits = 0;
    const auto [end, bad] = std::from_chars(digits.begin(), digits.end(), bits);
    if (bad != std::errc{} || end != digits.end() || bits > (is_v4 ? 32 : 128))
      return std::nullopt;
    result.bits = is_v4 ? bits + 96 : bits;
  }
  auto network = result.bytes;
  for (unsigned bit = result.bits; bit < 128; ++bit)
    network[bit / 8] &= static_cast<uint8_t>(~(0x80u >> (bit % 8)));
  if (network != result.bytes)
    return std::nullopt;
  result.text = text;
  return result;
}

bool is_within(std::string_view address, const std::vector<address_block>& blocks) {
  address_bytes bytes{};
  auto is_v4 = false;
  if (blocks.empty() || !parse_address(address, bytes, is_v4))
    return false;
  return std::any_of(blocks.begin(), blocks.end(), [&](const address_block& block) {
    return same_prefix(bytes, block.bytes, block.bits);
  });
}

std::string_view without_port(std::string_view peer) {
  if (peer.starts_with('['))
    return peer.substr(1, std::min(peer.find(']'), peer.size()) - 1);
  const auto colon = peer.find(':');
  if (colon != std::string_view::npos && peer.find(':', colon + 1) == std::string_view::npos)
    return peer.substr(0, colon);
  return peer; // IPv6 without brackets has no port
}

std::string client_address(std::string_view peer, const field_list& fields,
                           const std::vector<address_block>& trusted) {
  std::string_view result = without_port(peer);
  if (!is_within(result, trusted))
    return std::string{result};
  const auto chain = chain_of(fields);
  size_t steps = 0;
  for (auto i = chain.rbegin(); i != chain.rend() && steps < steps_max; ++i, ++steps) {
    address_bytes bytes{};
    auto is_v4 = false;
    if (!parse_address(*i, bytes, is_v4))
      break; // "unknown", or made up: who wrote it is the last one that is known
    result = *i;
    if (!is_within(result, trusted))
      break;
  }
  return std::string{result};
}

std::string request_id(std::string_view peer, const field_list& fields,
                       const std::vector<address_block>& trusted, uint64_t seed, uint64_t number) {
  const auto given = fields.first(known_field::x_request_id);
  if (is_request_id(given) && !fields.is_repeated(known_field::x_request_id) &&
      is_within(without_port(peer), trusted))
    return std::string{given};
  constexpr auto digits = "0123456789abcdef";
  std::string result;
  auto state = seed;
  for (const auto part : {uint64_t{0}, number}) { // splitmix64, one to one in each half
    auto z = (state += 0x9e3779b97f4a7c15) ^ part;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    for (int i = 60; i >= 0; i -= 4)
      result += digits[(z >> i) & 15];
  }
  return result;
}

} // namespace caf_app::http

#include "actors/eval/public_address.hpp"

#include <algorithm>
#include <array>

namespace caf_app::eval {

namespace {

struct prefix4 {
  std::array<uint8_t, 4> bytes;
  unsigned bits;
};

constexpr prefix4 special4[] = {
    {{0, 0, 0, 0}, 8},      {{10, 0, 0, 0}, 8},     {{100, 64, 0, 0}, 10}, {{127, 0, 0, 0}, 8},
    {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12},  {{192, 0, 0, 0}, 24},  {{192, 0, 2, 0}, 24},
    {{192, 88, 99, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15}, {{198, 51, 100, 0}, 24},
    {{203, 0, 113, 0}, 24}, {{224, 0, 0, 0}, 4},    {{240, 0, 0, 0}, 4}};

bool has_prefix(std::span<const uint8_t> address, std::span<const uint8_t> prefix, unsigned bits) {
  const auto whole = bits / 8;
  if (!std::equal(prefix.begin(), prefix.begin() + whole, address.begin()))
    return false;
  const auto rest = bits % 8;
  const auto mask = static_cast<uint8_t>(0xFF << (8 - rest));
  return rest == 0 || (address[whole] & mask) == (prefix[whole] & mask);
}

bool is_public4(std::span<const uint8_t> address) {
  return std::none_of(std::begin(special4), std::end(special4),
                      [&](const prefix4& one) { return has_prefix(address, one.bytes, one.bits); });
}

constexpr std::array<uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr std::array<uint8_t, 12> nat64{0, 0x64, 0xFF, 0x9B};
constexpr std::array<uint8_t, 4> documentation{0x20, 0x01, 0x0D, 0xB8};
constexpr std::array<uint8_t, 3> special_2001{0x20, 0x01, 0x00};
constexpr std::array<uint8_t, 2> six_to_four{0x20, 0x02};
constexpr uint8_t global_unicast = 0x20; // 2000::/3
constexpr unsigned special_2001_bits = 23;

} // namespace

bool is_public_address(std::span<const uint8_t> address) {
  if (address.size() == 4)
    return is_public4(address);
  if (address.size() != 16)
    return false;
  if (has_prefix(address, mapped, 96) || has_prefix(address, nat64, 96))
    return is_public4(address.subspan(12));
  if (has_prefix(address, six_to_four, 16))
    return is_public4(address.subspan(2, 4));
  return (address[0] & 0xE0) == global_unicast && !has_prefix(address, documentation, 32) &&
         !has_prefix(address, special_2001, special_2001_bits);
}

} // namespace caf_app::eval

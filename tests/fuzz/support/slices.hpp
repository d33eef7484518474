// Cuts an input into slices at places that only depend on the input, so that a finding can be
// repeated.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace fuzz {

/// FNV-1a.
inline uint64_t hash(std::string_view text) {
  uint64_t result = 0xcbf29ce484222325;
  for (unsigned char c : text)
    result = (result ^ c) * 0x100000001b3;
  return result;
}

/// @param salt tells several slicings of one input apart
/// @returns slices that may be empty and make up `text`
inline std::vector<std::string_view> slices_of(std::string_view text, uint64_t salt) {
  std::mt19937_64 random{hash(text) + salt};
  const size_t size_max = size_t{1} << (1 + random() % 8);
  std::vector<std::string_view> slices;
  while (!text.empty()) {
    const auto size = std::min<size_t>(text.size(), random() % (size_max + 1));
    slices.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return slices;
}

} // namespace fuzz

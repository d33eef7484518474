// Replays bytes through an h1_dialogue in every way that they may be sliced.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "support/http/h1_dialogue.hpp"

namespace caf_app::http {

/// Sends `slices` one after the other; each is a copy of its own, so that a view kept too long is
/// seen by the address sanitizer.
inline std::vector<std::string> replay(const router& routes, const h1_dialogue_options& options,
                                       const std::vector<std::string_view>& slices) {
  h1_dialogue dialogue{routes, options};
  for (const auto slice : slices) {
    const std::vector<char> copy(slice.begin(), slice.end());
    dialogue.receive(copy);
  }
  return dialogue.answers();
}

/// One slice per byte.
inline std::vector<std::string_view> in_bytes(std::string_view input) {
  std::vector<std::string_view> slices;
  for (size_t i = 0; i < input.size(); ++i)
    slices.push_back(input.substr(i, 1));
  return slices;
}

/// A slice ends after each `mark`, or `before_end` bytes earlier.
inline std::vector<std::string_view> in_lines(std::string_view input, size_t before_end) {
  std::vector<std::string_view> slices;
  size_t begin = 0;
  for (auto at = input.find("\r\n"); at != std::string_view::npos;
       at = input.find("\r\n", at + 2)) {
    const auto end = at + 2 - before_end;
    slices.push_back(input.substr(begin, end - begin));
    begin = end;
  }
  slices.push_back(input.substr(begin));
  return slices;
}

/// Two slices, the first of `length` bytes.
inline std::vector<std::string_view> in_two(std::string_view input, size_t length) {
  return {input.substr(0, length), input.substr(length)};
}

} // namespace caf_app::http

// Where the records of a TLS stream end (RFC 8446 §5.1): told to who may not go on in the middle of
// one. A tls_session keeps the first part of a record to itself, so that from outside a connection
// with half a record looks like one that is silent. Types and content are not looked at.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

namespace caf_app {

class tls_borders {
public:
  /// Takes note of the bytes that follow those of the last call.
  void pass(std::span<const char> ciphertext) noexcept {
    while (!ciphertext.empty()) {
      if (rest_ > 0) {
        const auto step = std::min(rest_, ciphertext.size());
        rest_ -= step;
        ciphertext = ciphertext.subspan(step);
        continue;
      }
      head_[have_++] = static_cast<unsigned char>(ciphertext[0]);
      ciphertext = ciphertext.subspan(1);
      if (have_ < head_.size())
        continue;
      rest_ = static_cast<size_t>(head_[3]) << 8 | head_[4];
      have_ = 0;
    }
  }

  /// @returns whether what has passed ends with a whole record
  bool at_border() const noexcept { return have_ == 0 && rest_ == 0; }

private:
  std::array<unsigned char, 5> head_{}; // type, version, length
  size_t have_ = 0;                     // of it
  size_t rest_ = 0;                     // of the record behind it
};

} // namespace caf_app

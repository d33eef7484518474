// Finds the frame heads in what an HTTP/2 client sends, before nghttp2 sees them. nghttp2 1.52
// tells nothing of frames that it ignores, and its own limit of CONTINUATION frames counts the
// slices of their heads; abuse has to be counted per frame.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace caf_app::http {

/// Types and flags that matter here. RFC 9113 §6
enum class h2_frame : uint8_t {
  data = 0,
  headers = 1,
  rst_stream = 3,
  window_update = 8,
  continuation = 9,
};

struct h2_frame_head {
  h2_frame type; ///< may be none of the enumerators
  uint8_t flags;
  size_t length; ///< of the payload
  uint32_t stream = 0;

  static constexpr uint8_t end_stream = 0x1;
  static constexpr uint8_t end_headers = 0x4;
};

class h2_frame_scanner {
public:
  /// Calls `accept(head)` for each frame whose head ends within `bytes`.
  /// @returns how many bytes are before the frame that was not accepted; all if all were
  template <class F>
  size_t scan(std::string_view bytes, F accept) {
    for (size_t at = 0; at < bytes.size();) {
      if (skip_ > 0) {
        const auto part = std::min(skip_, bytes.size() - at);
        skip_ -= part;
        at += part;
        continue;
      }
      const auto begin = at - std::min(at, head_size_);
      while (head_size_ < head_.size() && at < bytes.size())
        head_[head_size_++] = static_cast<uint8_t>(bytes[at++]);
      if (head_size_ < head_.size())
        break;
      head_size_ = 0;
      skip_ = size_t{head_[0]} << 16 | size_t{head_[1]} << 8 | head_[2];
      const auto type = static_cast<h2_frame>(head_[3]);
      sections_ += type == h2_frame::headers ? 1 : 0;
      if (type == h2_frame::headers || type == h2_frame::continuation)
        section_ = (head_[4] & h2_frame_head::end_headers) != 0 ? section::last : section::more;
      else
        section_ = section::none;
      const auto stream = uint32_t{head_[5]} << 24 | uint32_t{head_[6]} << 16 |
                          uint32_t{head_[7]} << 8 | uint32_t{head_[8]};
      if (!accept(h2_frame_head{type, head_[4], skip_, stream & 0x7fffffff}))
        return begin;
    }
    return bytes.size();
  }

  /// Whether a field section has begun and is not whole.
  bool in_section() const noexcept {
    return section_ == section::more || (section_ == section::last && skip_ > 0);
  }

  /// How many field sections have begun.
  uint64_t sections() const noexcept { return sections_; }

private:
  enum class section : uint8_t { none, more, last }; // does another frame of it follow?

  static constexpr size_t preface_size = 24;

  size_t skip_ = preface_size; // bytes before the next head
  std::array<uint8_t, 9> head_{};
  size_t head_size_ = 0; // bytes of it so far
  section section_ = section::none;
  uint64_t sections_ = 0;
};

} // namespace caf_app::http

// Cuts what an HTTP/2 client sends at the borders of its frames, before nghttp2 sees it.
// nghttp2 1.52 tells nothing of frames that it ignores, and its own limit of CONTINUATION frames
// counts the slices of their heads; abuse has to be counted per frame. What follows from a frame is
// judged once it is whole: else the end of a connection would depend on how its bytes were sliced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace caf_app::http {

/// Types and flags that matter here. RFC 9113 §6
enum class h2_frame : uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9,
};

/// The head of a frame. RFC 9113 §4.1
struct h2_frame_head {
  h2_frame type; ///< may be none of the enumerators
  uint8_t flags;
  size_t length; ///< of the payload, in bytes
  uint32_t stream = 0;

  static constexpr uint8_t ack = 0x1;
  static constexpr uint8_t end_stream = 0x1;
  static constexpr uint8_t end_headers = 0x4;
  static constexpr size_t size = 9;
  static constexpr size_t payload_max = 16384; // SETTINGS_MAX_FRAME_SIZE, which we leave alone

  /// @param bytes `size` of them
  static h2_frame_head parse(std::string_view bytes) noexcept {
    const auto at = [&](size_t i) { return uint32_t{static_cast<uint8_t>(bytes[i])}; };
    return {static_cast<h2_frame>(at(3)), static_cast<uint8_t>(at(4)),
            size_t{at(0) << 16 | at(1) << 8 | at(2)},
            (at(5) << 24 | at(6) << 16 | at(7) << 8 | at(8)) & 0x7fffffff};
  }

  /// Whether frames of this type may have that length. RFC 9113 §4.2, §6
  bool fits() const noexcept {
    switch (type) {
      case h2_frame::priority: return length == 5;
      case h2_frame::rst_stream:
      case h2_frame::window_update: return length == 4;
      case h2_frame::ping: return length == 8;
      case h2_frame::goaway: return length >= 8 && length <= payload_max;
      case h2_frame::settings:
        return (flags & ack) != 0 ? length == 0 : length % 6 == 0 && length <= payload_max;
      default: return length <= payload_max;
    }
  }
};

class h2_frame_scanner {
public:
  /// Calls `accept(head)` as soon as the head of a frame is whole, and `feed(piece)` for all bytes
  /// in their order. A piece is a whole frame, but for what is passed on as it comes: the preface,
  /// content (the head of its frame is a piece of its own), and frames that break the protocol by
  /// their head alone. Both say whether to go on; after a refusal no byte follows.
  /// A piece lies within `bytes`, unless it is a frame that came in several calls.
  template <class Accept, class Feed>
  void scan(std::string_view bytes, Accept accept, Feed feed) {
    for (;;) {
      if (passing_ > 0) {
        const auto part = bytes.substr(0, passing_);
        if (part.empty())
          return;
        bytes.remove_prefix(part.size());
        passing_ -= part.size();
        if (!feed(part))
          return;
        continue;
      }
      const auto missing = wanted_ - held_.size();
      if (bytes.size() < missing) {
        held_.append(bytes);
        return;
      }
      const auto direct = held_.empty();
      const auto piece = direct ? bytes.substr(0, missing) : gather(bytes, missing);
      if (!head_known_) {
        const auto head = h2_frame_head::parse(piece);
        note(head);
        if (!accept(head))
          return;
        if (is_held(head))
          continue; // its payload comes next
        passing_ = head.length;
      }
      if (direct)
        bytes.remove_prefix(piece.size());
      if (!finish(piece, feed))
        return;
    }
  }

  /// Whether a field section has begun and is not whole.
  bool in_section() const noexcept { return section_ != section::none; }

  /// How many field sections have begun.
  uint64_t sections() const noexcept { return sections_; }

private:
  enum class section : uint8_t { none, more, last }; // does another frame of it follow?

  static constexpr size_t preface_size = 24;

  std::string_view gather(std::string_view& bytes, size_t missing) {
    held_.append(bytes.substr(0, missing));
    bytes.remove_prefix(missing);
    return held_;
  }

  void note(const h2_frame_head& head) {
    sections_ += head.type == h2_frame::headers ? 1 : 0;
    if (head.type == h2_frame::headers || head.type == h2_frame::continuation)
      section_ = (head.flags & h2_frame_head::end_headers) != 0 ? section::last : section::more;
    else
      section_ = section::none;
  }

  // Content is not copied, and who breaks the protocol by the head of a frame hears of it at once.
  bool is_held(const h2_frame_head& head) {
    const auto expected = !std::exchange(first_, false) || (head.type == h2_frame::settings &&
                                                            (head.flags & h2_frame_head::ack) == 0);
    head_known_ = expected && head.type != h2_frame::data && head.fits();
    if (head_known_)
      wanted_ = h2_frame_head::size + head.length;
    return head_known_;
  }

  // The piece may lie in held_, which is given back: connections idle long.
  template <class Feed>
  bool finish(std::string_view piece, Feed feed) {
    const auto goes_on = feed(piece);
    std::string{}.swap(held_);
    wanted_ = h2_frame_head::size;
    head_known_ = false;
    if (section_ == section::last)
      section_ = section::none;
    return goes_on;
  }

  size_t passing_ = preface_size; // bytes that need not be whole
  std::string held_;              // of a frame that is not whole
  size_t wanted_ = h2_frame_head::size;
  bool head_known_ = false; // wanted_ is the size of the frame
  bool first_ = true;       // no frame was seen
  section section_ = section::none;
  uint64_t sections_ = 0;
};

} // namespace caf_app::http

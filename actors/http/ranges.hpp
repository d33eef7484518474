// The Range field (RFC 9110 §14) against a representation of known size, and the two bodies that
// can follow: one part, or multipart/byteranges. Whether Range counts at all (method, If-Range) is
// decided in static_plan.
//
// Where the RFC leaves a choice: what cannot be read is ignored, and so is a set that would cost
// more than the whole file (over 16 ranges, over two that overlap, more bytes than the file).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace caf_app::http {

/// Both ends inclusive, as in Content-Range.
struct byte_range {
  uint64_t first = 0;
  uint64_t last = 0;

  uint64_t size() const { return last - first + 1; }
  bool operator==(const byte_range&) const = default;
};

/// Ranges in one request beyond which the whole file is sent.
inline constexpr size_t ranges_max = 16;

enum class range_outcome : uint8_t {
  ignored,       ///< answer 200 with everything
  satisfiable,   ///< answer 206 with `ranges`, in the order asked
  unsatisfiable, ///< answer 416
};

struct range_selection {
  range_outcome outcome = range_outcome::ignored;
  std::vector<byte_range> ranges; ///< at least one if satisfiable, else empty
};

/// @param value of the Range field
/// @param size of the selected representation in bytes
range_selection select_ranges(std::string_view value, uint64_t size);

/// Content-Range of a part: `bytes 0-4/10`.
std::string content_range(const byte_range& part, uint64_t size);

/// Content-Range of a 416: `bytes */10`.
std::string unsatisfied_range(uint64_t size);

/// One part of a multipart body: `head`, then the bytes of `range`.
struct body_part {
  std::string head;
  byte_range range;
};

/// A multipart/byteranges body (RFC 9110 §14.6): all parts, then `tail`.
struct multipart_body {
  std::vector<body_part> parts;
  std::string tail;
  uint64_t size = 0; ///< bytes of the whole body

  /// @param type media type of the representation; empty leaves it out
  /// @param boundary 1 to 70 letters and digits, random enough not to occur in the content
  multipart_body(const std::vector<byte_range>& ranges, uint64_t representation_size,
                 std::string_view type, std::string_view boundary);
};

} // namespace caf_app::http

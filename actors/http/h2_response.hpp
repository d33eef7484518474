// What goes out on an HTTP/2 stream, before nghttp2 turns it into frames: the field section of a
// response, cleaned of what HTTP/2 has no place for, and the content that waits for window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/field.hpp"
#include "actors/http/h1_chunked.hpp"

namespace caf_app::http {

/// A response head. Views must stay valid for the call only.
struct h2_response_head {
  uint16_t status = 200;
  std::optional<uint64_t> content_length; ///< left out with 1xx, 204 and 304 in any case
  std::string_view date;                  ///< empty omits the field, as for the next two
  std::string_view server;
  std::string_view content_type;
  std::span<const field> fields; ///< further fields, `id` is not read
};

/// A field section ready to be sent: names in lower case, values checked.
class h2_block {
public:
  struct line {
    size_t name, name_size, value, value_size; ///< within bytes()
  };

  /// Makes the section of a response, with `:status` first. Connection, Keep-Alive,
  /// Proxy-Connection, Transfer-Encoding, Upgrade and a Content-Length of `fields` are dropped (RFC
  /// 9113 §8.2.2).
  /// @returns false, and leaves the block empty, if a name is no token or a value has a control
  /// byte
  bool set(const h2_response_head& head);

  /// Makes the section of trailers. Those that may not be one are dropped.
  bool set_trailers(std::span<const field> trailers);

  const std::vector<line>& lines() const noexcept { return lines_; }
  const char* bytes() const noexcept { return bytes_.data(); }

private:
  bool add(std::string_view name, std::string_view value);
  void append(std::string_view name, std::string_view value);
  void clear();
  bool clear_and_fail();

  std::string bytes_;
  std::vector<line> lines_;
};

/// Content on its way out. At most `promised` bytes, if that is set.
class h2_outflow {
public:
  /// Appends content. @returns false if it is more than was promised
  bool write(std::string_view bytes);

  /// No more follows. @returns false if it is less than was promised
  bool finish();

  void promise(std::optional<uint64_t> length) { promised_ = length; }

  /// What to send next; shrinks by drop().
  std::string_view waiting() const { return std::string_view{buffer_}.substr(offset_); }
  void drop(size_t bytes);

  bool is_finished() const noexcept { return finished_; }

private:
  std::string buffer_;
  size_t offset_ = 0;
  uint64_t written_ = 0;
  std::optional<uint64_t> promised_;
  bool finished_ = false;
};

} // namespace caf_app::http

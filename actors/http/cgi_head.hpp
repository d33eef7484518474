// The head of a CGI response (RFC 3875 §6): fields, with Status and Location of their own meaning.
// Lines end with LF or CRLF, as scripts write them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/fastcgi_limits.hpp"
#include "actors/http/h1_chunked.hpp"

namespace caf_app::http {

/// What a script says before its content.
struct cgi_head {
  uint16_t status = 200;                  ///< 200 to 599; 302 for a Location without Status
  std::vector<owned_field> fields;        ///< without Status, Content-Length and hop-by-hop ones
  std::optional<uint64_t> content_length; ///< if the script says so
};

/// Collects a head from pieces of any size.
class cgi_head_reader {
public:
  /// `bad`: a line that is no field, a second Status or Content-Length, or more than the limits;
  /// the answer is 502.
  enum class outcome : uint8_t { need_more, head, bad };

  static constexpr size_t fields_max = limits::http::script_fields;

  /// @param bytes_max of the head, its empty line included
  explicit cgi_head_reader(size_t bytes_max = limits::http::script_head_bytes)
      : bytes_max_(bytes_max) {}

  /// Takes output of the script. After `head` the rest is content: see rest().
  outcome feed(std::span<const char> bytes);

  const cgi_head& head() const noexcept { return head_; }

  /// Content that came with the last piece of the head.
  std::string_view rest() const noexcept { return std::string_view{buffer_}.substr(end_); }

private:
  bool find_end();
  bool parse();
  bool parse_line(std::string_view line);

  size_t bytes_max_;
  std::string buffer_;
  size_t line_ = 0; // where the last line begins that was looked at
  size_t seen_ = 0; // before it there is no line end behind line_
  size_t end_ = 0;
  bool has_status_ = false;
  bool has_location_ = false;
  cgi_head head_;
};

} // namespace caf_app::http

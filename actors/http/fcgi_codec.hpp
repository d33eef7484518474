// FastCGI 1.0 as a web server speaks it
// (https://fastcgi-archives.github.io/FastCGI_Specification.html): records of a request, and the
// records that come back, in any slices. One request per connection at a time, so its id is
// always 1.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace caf_app::http {

/// Appends FCGI_BEGIN_REQUEST for a responder on a connection that is kept.
void append_fcgi_begin(std::string& out);

/// Appends a name-value pair to `params`, for append_fcgi_params(). Each is below 2^31 bytes.
void append_fcgi_pair(std::string& params, std::string_view name, std::string_view value);

/// Appends the whole parameter stream: records of at most 65,535 bytes and the empty one.
void append_fcgi_params(std::string& out, std::string_view params);

/// Appends content as records of FCGI_STDIN; nothing if it is empty, because that ends the stream.
void append_fcgi_stdin(std::string& out, std::string_view bytes);

/// Appends the end of FCGI_STDIN.
void append_fcgi_stdin_end(std::string& out);

/// Appends FCGI_ABORT_REQUEST.
void append_fcgi_abort(std::string& out);

enum class fcgi_event : uint8_t {
  need_more, ///< all bytes are consumed
  output,    ///< `data` is of FCGI_STDOUT
  errors,    ///< `data` is of FCGI_STDERR
  end,       ///< the request is over: status() and app_status()
  bad,       ///< no FastCGI
};

/// protocolStatus of FCGI_END_REQUEST.
enum class fcgi_status : uint8_t { complete, cant_mpx, overloaded, unknown_role };

/// What fcgi_reader::feed() has found.
struct fcgi_step {
  size_t consumed = 0; ///< of the bytes given
  fcgi_event event = fcgi_event::need_more;
  std::span<const char> data; ///< a part of the bytes given to feed()
};

/// Reads the records of one response, in any slices.
class fcgi_reader {
public:
  /// One step; call it again with what was not consumed.
  fcgi_step feed(std::span<const char> bytes);

  /// Both after `end`. app_status() is the exit code of the script.
  fcgi_status status() const noexcept { return status_; }
  uint32_t app_status() const noexcept { return app_status_; }

  /// For the next request on the connection.
  void reset() { *this = fcgi_reader{}; }

private:
  fcgi_step on_header();

  unsigned char head_[8] = {};
  size_t head_size_ = 0;
  uint8_t type_ = 0;
  size_t content_ = 0; ///< of the record, still to come
  size_t padding_ = 0;
  std::string end_; ///< content of FCGI_END_REQUEST
  fcgi_status status_ = fcgi_status::complete;
  uint32_t app_status_ = 0;
};

} // namespace caf_app::http

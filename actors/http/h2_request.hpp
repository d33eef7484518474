// The head of an HTTP/2 request, and what turns decoded field lines into it. HPACK, frames and what
// nghttp2 checks of a message (pseudo fields, lower case, connection fields, field bytes) are
// h2_session's; here are the limits, RFC 9113 §8.3.1 on authorities and §8.2.3 on cookies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/field_list.hpp"
#include "actors/http/h1_chunked.hpp"
#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

/// A request head. Its views lie in its own memory, hence it does not move.
struct h2_request {
  h2_request() = default;
  h2_request(const h2_request&) = delete;
  h2_request& operator=(const h2_request&) = delete;

  /// If not `none`, the request has to be refused with this and may lack fields: head_size,
  /// method_connect, target_size, target or host.
  fault error = fault::none;
  http::method method = method::unknown;
  std::string_view method_text;
  std::string_view target; ///< `:path` as sent
  target_parts parts;      ///< taken apart; its path is raw
  std::string_view scheme; ///< `:scheme` as sent
  std::string_view host;   ///< in lower case, of `:authority`, else of Host
  std::optional<uint16_t> port;
  std::optional<uint64_t> content_length;
  bool has_body = false; ///< content or trailers may follow
  field_list fields;     ///< without pseudo fields; one Cookie; Host only if it was sent

  std::string memory; ///< what the views point into
};

/// Limits of a field section: `bytes` as RFC 9113 §6.5.2 counts them (32 more per line).
struct h2_section_limits {
  size_t bytes = 32 * 1024;
  size_t fields = 100;
  size_t target = 8 * 1024;
};

/// Collects the lines of one field section.
class h2_section {
public:
  explicit h2_section(const h2_section_limits& limits) : limits_(limits) {}

  /// Takes the next line; beyond the limits it only remembers that.
  void add(std::string_view name, std::string_view value);

  /// @returns true once a limit was crossed
  bool too_large() const noexcept { return too_large_; }

  /// Makes the head of a request, ends this section.
  /// @returns false if the request is malformed (RFC 9113 §8.1.1): to be reset, not answered
  bool finish(h2_request& request);

  /// The trailers that may be passed on (RFC 9110 §6.5.1), ends this section.
  std::vector<owned_field> finish_trailers();

private:
  struct line {
    size_t name, name_size, value, value_size;
  };

  std::string_view name_of(const line& each) const;
  std::string_view value_of(const line& each) const;
  void join_cookies();
  void index(h2_request& request);

  h2_section_limits limits_;
  std::string memory_;
  std::vector<line> lines_;
  size_t bytes_ = 0;
  bool too_large_ = false;
};

} // namespace caf_app::http

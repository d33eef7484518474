// What to answer to GET or HEAD on a file: the whole matrix of preconditions, ranges, content
// codings and HEAD in one pure function, so that the handler only opens, sends and closes.
// Where the file comes from, and what an error page looks like, is the handler's.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/coding.hpp"
#include "actors/http/method.hpp"
#include "actors/http/ranges.hpp"
#include "caf_app/messages/http.hpp"

namespace caf_app::http {

/// The fields of a request that matter to a file; nullopt if absent. Lines of a repeated list field
/// are joined with commas.
struct static_request {
  http::method method = method::get; ///< or HEAD
  std::optional<std::string_view> if_match;
  std::optional<std::string_view> if_none_match;
  std::optional<std::string_view> if_modified_since;
  std::optional<std::string_view> if_unmodified_since;
  std::optional<std::string_view> if_range;
  std::optional<std::string_view> range;
  std::optional<std::string_view> accept_encoding;
};

/// One form of the file on disk: itself, or a precompressed sibling.
struct static_file {
  coding form = coding::identity;
  uint64_t size = 0;
  int64_t mtime_ns = 0; ///< since 1970
};

/// What was found on disk.
struct static_resource {
  static_file file;
  std::string_view type; ///< media type of the uncoded content, empty: unknown
  /// Siblings that exist, in configured order. Those older than the file are left out here.
  std::vector<static_file> siblings;
};

/// Whether what has no sibling may be compressed.
enum class coding_mode : uint8_t { as_stored, on_the_fly };

struct static_options {
  coding_mode codings = coding_mode::on_the_fly; ///< the route's `compress`
  std::optional<std::chrono::seconds> max_age;   ///< Cache-Control; nullopt: no such field
  std::string_view boundary;                     ///< for multipart bodies, see multipart_body
  std::chrono::sys_seconds now;                  ///< what Date will say
};

/// A response as a list of things to do.
struct static_plan {
  int status = 200;                  ///< 200, 206, 304, 406, 412, 416
  std::vector<http_field> fields;    ///< without Date, Server, Content-Length; names in lower case
  coding source = coding::identity;  ///< the form on disk that is read
  coding applied = coding::identity; ///< coded on the fly with this, identity: sent as read
  std::optional<uint64_t> length;    ///< Content-Length; nullopt: unknown (coded on the fly) or 304
  std::vector<body_part> parts;      ///< to send in order; empty for HEAD and without content
  std::string tail;                  ///< after the last part
};

/// Order of decisions: form of the file (406), preconditions (304, 412), ranges (206, 416). RFC
/// 9110 §12.5.3, §13.2.2, §14.2
static_plan plan_static(const static_request& request, const static_resource& resource,
                        const static_options& options);

} // namespace caf_app::http

#include "actors/http/fpm_status.hpp"

#include <boost/json.hpp>

#include "actors/http/fcgi_codec.hpp"

namespace caf_app::http {

namespace json = boost::json;

namespace {

bool read(const json::object& page, std::string_view key, uint64_t& out) {
  const auto* value = page.if_contains(key);
  if (!value || !value->is_int64() || value->as_int64() < 0)
    return false;
  out = static_cast<uint64_t>(value->as_int64());
  return true;
}

} // namespace

std::optional<fpm_status> parse_fpm_status(std::string_view text) {
  json::error_code failed;
  const auto page = json::parse({text.data(), text.size()}, failed);
  fpm_status result;
  if (failed || !page.is_object() || !read(page.as_object(), "listen queue", result.listen_queue) ||
      !read(page.as_object(), "idle processes", result.idle) ||
      !read(page.as_object(), "active processes", result.active))
    return std::nullopt;
  return result;
}

std::string fpm_status_request(std::string_view path) {
  std::string params;
  append_fcgi_pair(params, "SCRIPT_NAME", path);
  append_fcgi_pair(params, "SCRIPT_FILENAME", path);
  append_fcgi_pair(params, "REQUEST_METHOD", "GET");
  append_fcgi_pair(params, "QUERY_STRING", "json");
  append_fcgi_pair(params, "REQUEST_URI", path);
  append_fcgi_pair(params, "SERVER_PROTOCOL", "HTTP/1.1");
  std::string out;
  append_fcgi_begin(out);
  append_fcgi_params(out, params);
  append_fcgi_stdin_end(out);
  return out;
}

} // namespace caf_app::http

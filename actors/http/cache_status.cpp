#include "actors/http/cache_status.hpp"

namespace caf_app::http {

namespace {

std::string_view word_of(forward_reason reason) {
  switch (reason) {
    case forward_reason::none: return "";
    case forward_reason::bypass: return "bypass";
    case forward_reason::method: return "method";
    case forward_reason::uri_miss: return "uri-miss";
    case forward_reason::vary_miss: return "vary-miss";
    case forward_reason::request: return "request";
    case forward_reason::stale: return "stale";
    case forward_reason::partial: return "partial";
  }
  return "";
}

} // namespace

std::string to_string(const cache_status& status) {
  std::string result = "caf_app; ";
  if (status.forwarded == forward_reason::none)
    result += "hit";
  else
    result.append("fwd=").append(word_of(status.forwarded));
  if (status.origin_status)
    result += "; fwd-status=" + std::to_string(*status.origin_status);
  if (status.ttl)
    result += "; ttl=" + std::to_string(status.ttl->count());
  if (status.stored)
    result += "; stored";
  if (status.collapsed)
    result += "; collapsed";
  if (!status.detail.empty())
    result.append("; detail=").append(status.detail);
  return result;
}

} // namespace caf_app::http

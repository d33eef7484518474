#include "actors/http/cache_metrics.hpp"

namespace caf_app::http {

std::string_view to_string(cache_result how) {
  switch (how) {
    case cache_result::hit: return "hit";
    case cache_result::stale: return "stale";
    case cache_result::revalidated: return "revalidated";
    case cache_result::miss: return "miss";
    case cache_result::collapsed: return "collapsed";
    case cache_result::bypass: return "bypass";
  }
  return "";
}

cache_metrics::cache_metrics(metrics& registry) {
  for (size_t i = 0; i < cache_result_count; ++i) {
    const auto name = to_string(static_cast<cache_result>(i));
    by_result_[i] = &registry.counter("caf_http_cache_requests_total",
                                      "Requests of cached routes, by how they were answered.",
                                      {{"result", std::string{name}}});
  }
}

} // namespace caf_app::http

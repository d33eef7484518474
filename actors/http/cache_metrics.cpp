#include "actors/http/cache_metrics.hpp"

namespace caf_app::http {

cache_metrics::cache_metrics(metrics& registry) {
  constexpr std::array names{"hit", "stale", "revalidated", "miss", "collapsed", "bypass"};
  static_assert(names.size() == cache_result_count);
  for (size_t i = 0; i < names.size(); ++i)
    by_result_[i] = &registry.counter("caf_http_cache_requests_total",
                                      "Requests of cached routes, by how they were answered.",
                                      {{"result", names[i]}});
}

} // namespace caf_app::http

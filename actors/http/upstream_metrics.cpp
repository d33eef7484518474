#include "actors/http/upstream_metrics.hpp"

namespace caf_app::http {

namespace {

histogram& phase(metrics& registry, const std::string& upstream, const char* name) {
  return registry.histogram("caf_http_upstream_seconds", "What requests to an upstream waited for.",
                            request_seconds_bounds(), {{"upstream", upstream}, {"phase", name}});
}

gauge& connections(metrics& registry, const std::string& upstream, const char* state) {
  return registry.gauge("caf_http_upstream_connections", "Open connections to an upstream.",
                        {{"upstream", upstream}, {"state", state}});
}

counter& retries(metrics& registry, const std::string& upstream, const char* cause) {
  return registry.counter("caf_http_upstream_retries_total",
                          "Requests that were sent to an upstream once more.",
                          {{"upstream", upstream}, {"cause", cause}});
}

gauge& fpm(metrics& registry, const std::string& upstream, const char* state) {
  return registry.gauge("caf_http_upstream_fpm",
                        "Workers of PHP-FPM by state, and requests in its backlog; -1: not known.",
                        {{"upstream", upstream}, {"state", state}});
}

} // namespace

std::string_view to_string(upstream_outcome outcome) noexcept {
  switch (outcome) {
    case upstream_outcome::ok: return "ok";
    case upstream_outcome::refused: return "refused";
    case upstream_outcome::timeout: return "timeout";
    case upstream_outcome::failed: return "failed";
    case upstream_outcome::bad_response: return "bad_response";
    case upstream_outcome::aborted: return "aborted";
    case upstream_outcome::unavailable: return "unavailable";
  }
  return "";
}

fpm_metrics::fpm_metrics(metrics& registry, const std::string& upstream)
    : idle(fpm(registry, upstream, "idle")), active(fpm(registry, upstream, "active")),
      queue(fpm(registry, upstream, "queue")) {
  for (auto* each : {&idle, &active, &queue})
    each->set(-1);
}

upstream_metrics::upstream_metrics(metrics& registry, const std::string& upstream)
    : queue_seconds(phase(registry, upstream, "queue")),
      connect_seconds(phase(registry, upstream, "connect")),
      first_byte_seconds(phase(registry, upstream, "first_byte")),
      active(connections(registry, upstream, "active")),
      idle(connections(registry, upstream, "idle")),
      waiting(registry.gauge("caf_http_upstream_queue",
                             "Requests that wait for room at an upstream.",
                             {{"upstream", upstream}})),
      retries_connect(retries(registry, upstream, "connect")),
      retries_stale(retries(registry, upstream, "stale")),
      backlog_full(registry.counter("caf_http_upstream_backlog_full_total",
                                    "Connects that met a full backlog and were tried again.",
                                    {{"upstream", upstream}})) {
  for (size_t i = 0; i < upstream_outcome_count; ++i)
    results[i] = &registry.counter(
        "caf_http_upstream_requests_total", "Requests to an upstream, by outcome.",
        {{"upstream", upstream},
         {"result", std::string{to_string(static_cast<upstream_outcome>(i))}}});
}

} // namespace caf_app::http

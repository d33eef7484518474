// [http.cache].
#include "actors/http/http_config.hpp"
#include "actors/http/http_config_rule.hpp"

namespace caf_app::http {

namespace {

using namespace std::chrono_literals;

constexpr auto longest = 24h * 365;

void check_cache(const config_value& table, http_cache& out, config_report& report) {
  if (out.size > 0 && out.max_object > out.size)
    report.add(written(table, "max_object").at, "expected max_object of at most size");
}

} // namespace

config_rule<http_cache> http_cache_rule() {
  config_schema<http_cache> schema{"http.cache"};
  schema
      .key("size", &http_cache::size, as_size(0, size_max),
           "bytes of all stored responses of a process, with metadata; 0: off")
      .key("max_object", &http_cache::max_object, as_size(1, size_max),
           "content of one response; larger ones are passed on")
      .key("max_variants", &http_cache::max_variants, as_count(1, 1000),
           "responses per URL that differ by Vary")
      .key("lock_timeout", &http_cache::lock_timeout,
           as_duration(limits::loop::tick, limits::http::timeout_max),
           "how long a request waits for another's fetch of the same")
      .key("heuristic", &http_cache::heuristic, as_share(),
           "share of the time since Last-Modified for which a response without lifetime is fresh")
      .key("heuristic_max", &http_cache::heuristic_max, as_duration(0s, longest), "at most so long")
      .key("stale_while_revalidate", &http_cache::stale_while_revalidate, as_duration(0s, longest),
           "how long a stale response is served while it is fetched anew, unless it says so itself")
      .key("stale_if_error", &http_cache::stale_if_error, as_duration(0s, longest),
           "how long a stale response stands in for an error, unless it says so itself")
      .check(check_cache);
  return as_table(std::move(schema));
}

} // namespace caf_app::http

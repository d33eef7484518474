#include "actors/eval/eval_metrics.hpp"

namespace caf_app::eval {

namespace {

counter& calls(metrics& books, const char* outcome) {
  return books.counter("caf_eval_calls_total", "Calls by what became of them.",
                       {{"outcome", outcome}});
}

} // namespace

eval_metrics::eval_metrics(metrics& books)
    : queue_seconds(books.histogram("caf_eval_queue_seconds",
                                    "From the arrival of a call until a worker has it.",
                                    request_seconds_bounds())),
      service_seconds(books.histogram("caf_eval_service_seconds",
                                      "From then on until its answer is there.",
                                      request_seconds_bounds())),
      cold_starts(books.counter("caf_eval_cold_starts_total", "Workers that were started.")),
      kills(books.counter("caf_eval_kills_total",
                          "Workers that were killed or crashed while a call ran.")),
      workers(books.gauge("caf_eval_workers", "Workers, whatever they do.")),
      busy(books.gauge("caf_eval_busy_workers", "Workers that run a call.")),
      waiting(books.gauge("caf_eval_waiting_calls", "Calls that wait for a worker.")),
      ok_(calls(books, "ok")), refused_(calls(books, "refused")),
      tenant_full_(calls(books, "tenant_full")), crashed_(calls(books, "crashed")),
      unavailable_(calls(books, "unavailable")), timed_out_(calls(books, "timed_out")),
      failed_(calls(books, "failed")) {}

void eval_metrics::ended(uint16_t status) const {
  switch (status) {
    case 200: return ok_.add();
    case 429: return tenant_full_.add();
    case 502: return crashed_.add();
    case 503: return unavailable_.add();
    case 504: return timed_out_.add();
    default: return status < 500 ? refused_.add() : failed_.add();
  }
}

} // namespace caf_app::eval

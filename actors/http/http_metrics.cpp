#include "actors/http/http_metrics.hpp"

namespace caf_app::http {

std::string_view to_string(close_reason reason) noexcept {
  switch (reason) {
    case close_reason::client: return "client";
    case close_reason::answered: return "answered";
    case close_reason::rejected: return "rejected";
    case close_reason::timeout: return "timeout";
    case close_reason::failed: return "failed";
    case close_reason::aborted: return "aborted";
    case close_reason::drained: return "drained";
    case close_reason::crashed: return "crashed";
  }
  return "";
}

namespace {

std::string name_of(wait_state state) {
  switch (state) {
    case wait_state::local: return "local";
    case wait_state::upstream: return "upstream";
    case wait_state::actor: return "actor";
    case wait_state::eval: return "eval";
    case wait_state::write: return "write";
  }
  return "";
}

std::string name_of(actor_outcome outcome) {
  switch (outcome) {
    case actor_outcome::ok: return "ok";
    case actor_outcome::no_such_name: return "no_such_name";
    case actor_outcome::not_delivered: return "not_delivered";
    case actor_outcome::failed: return "failed";
    case actor_outcome::timed_out: return "timed_out";
    case actor_outcome::refused: return "refused";
    case actor_outcome::cancelled: return "cancelled";
  }
  return "";
}

gauge& connections(metrics& registry, const char* state) {
  return registry.gauge("caf_http_connections", "Open connections.",
                        {{"proto", "h1"}, {"state", state}});
}

counter& pauses(metrics& registry, const char* cause) {
  return registry.counter("caf_http_accept_pauses_total",
                          "Times that accepting stopped for a while.", {{"cause", cause}});
}

} // namespace

http_metrics::http_metrics(metrics& books)
    : registry(books), idle_connections(connections(books, "idle")),
      active_connections(connections(books, "active")),
      crashes(books.counter("caf_http_connection_crashes_total",
                            "Connections whose actor ended abnormally.")),
      pauses_descriptors(pauses(books, "descriptors")), pauses_limit(pauses(books, "limit")),
      cut_by_drain(books.counter("caf_http_drain_cut_total",
                                 "Requests that were cut at the deadline of a drain.")),
      log_dropped(books.counter("caf_http_log_dropped_total",
                                "Access log lines lost because the queue was full.")) {
  for (size_t i = 0; i < fault_count; ++i)
    if (const auto reason = rejection_of(static_cast<fault>(i)).reason; !reason.empty())
      rejected_[i] = &books.counter("caf_http_rejected_total", "Refused input, by reason.",
                                    {{"reason", std::string{reason}}});
  for (size_t i = 0; i < close_reason_count; ++i)
    closed_[i] = &books.counter("caf_http_closed_total", "Ended connections, by reason.",
                                {{"reason", std::string{to_string(static_cast<close_reason>(i))}}});
  for (size_t i = 0; i < wait_state_count; ++i)
    in_flight_[i] =
        &books.gauge("caf_http_requests_in_flight", "Open requests by what they wait for.",
                     {{"state", name_of(static_cast<wait_state>(i))}});
}

route_metrics::route_metrics(metrics& registry, const std::string& site, const std::string& route)
    : seconds_(&registry.histogram("caf_http_request_seconds",
                                   "From the first byte of a request to the end of its response.",
                                   request_seconds_bounds(), {{"site", site}, {"route", route}})),
      received_(&registry.counter("caf_http_received_bytes_total", "Received content.",
                                  {{"site", site}})),
      sent_(&registry.counter("caf_http_sent_bytes_total", "Sent content.", {{"site", site}})) {
  for (size_t i = 0; i < by_class_.size(); ++i)
    by_class_[i] = &registry.counter("caf_http_requests_total",
                                     "Answered requests; class 0: ended without a status.",
                                     {{"site", site},
                                      {"route", route},
                                      {"code_class", i == 0 ? "0" : std::to_string(i) + "xx"}});
}

actor_metrics::actor_metrics(metrics& registry, const std::string& route) {
  for (size_t i = 0; i < actor_outcome_count; ++i)
    by_outcome_[i] =
        &registry.counter("caf_http_actor_requests_total", "Requests of actor routes, by outcome.",
                          {{"route", route}, {"outcome", name_of(static_cast<actor_outcome>(i))}});
}

} // namespace caf_app::http

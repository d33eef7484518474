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

/// As client_protocol; "new" is greeting or shaking hands.
constexpr std::array<const char*, 3> protocol_names{"new", "h1", "h2"};

std::string name_of(nudge_cause cause) {
  switch (cause) {
    case nudge_cause::age: return "age";
    case nudge_cause::requests: return "requests";
    case nudge_cause::idle: return "idle";
    case nudge_cause::drain: return "drain";
    case nudge_cause::rebalance: return "rebalance";
  }
  return "";
}

counter& handshakes(metrics& registry, tls_result result) {
  const auto count = [&](const char* version, const char* resumed, const char* what) -> counter& {
    return registry.counter("caf_http_tls_handshakes_total", "TLS handshakes, by how they ended.",
                            {{"version", version}, {"resumed", resumed}, {"result", what}});
  };
  switch (result) {
    case tls_result::v1_2: return count("1.2", "no", "ok");
    case tls_result::v1_2_resumed: return count("1.2", "yes", "ok");
    case tls_result::v1_3: return count("1.3", "no", "ok");
    case tls_result::v1_3_resumed: return count("1.3", "yes", "ok");
    case tls_result::failed: return count("none", "no", "failed");
    case tls_result::late: break;
  }
  return count("none", "no", "late");
}

// RFC 9113 §7
constexpr std::array<const char*, 14> goaway_names{"NO_ERROR",
                                                   "PROTOCOL_ERROR",
                                                   "INTERNAL_ERROR",
                                                   "FLOW_CONTROL_ERROR",
                                                   "SETTINGS_TIMEOUT",
                                                   "STREAM_CLOSED",
                                                   "FRAME_SIZE_ERROR",
                                                   "REFUSED_STREAM",
                                                   "CANCEL",
                                                   "COMPRESSION_ERROR",
                                                   "CONNECT_ERROR",
                                                   "ENHANCE_YOUR_CALM",
                                                   "INADEQUATE_SECURITY",
                                                   "HTTP_1_1_REQUIRED"};

counter& pauses(metrics& registry, const char* cause) {
  return registry.counter("caf_http_accept_pauses_total",
                          "Times that accepting stopped for a while.", {{"cause", cause}});
}

} // namespace

http_metrics::http_metrics(metrics& books)
    : registry(books), crashes(books.counter("caf_http_connection_crashes_total",
                                             "Connections whose actor ended abnormally.")),
      pauses_descriptors(pauses(books, "descriptors")), pauses_limit(pauses(books, "limit")),
      pauses_handshakes(pauses(books, "handshakes")),
      cut_by_drain(books.counter("caf_http_drain_cut_total",
                                 "Requests that were cut at the deadline of a drain.")),
      log_dropped(books.counter("caf_http_log_dropped_total",
                                "Access log lines lost: the queue or the disk was full.")),
      rate_dry_run(books.counter("caf_http_rate_dry_run_total",
                                 "Requests that a rate limit on trial would have refused.")),
      drain_seconds(books.histogram("caf_http_drain_seconds",
                                    "From the begin of a listener's drain to its last connection.",
                                    request_seconds_bounds())) {
  for (size_t i = 0; i < fault_count; ++i)
    if (const auto reason = rejection_of(static_cast<fault>(i)).reason; !reason.empty())
      rejected_[i] = &books.counter("caf_http_rejected_total", "Refused input, by reason.",
                                    {{"reason", std::string{reason}}});
  for (size_t i = 0; i < close_reason_count; ++i)
    closed_[i] = &books.counter("caf_http_closed_total", "Ended connections, by reason.",
                                {{"reason", std::string{to_string(static_cast<close_reason>(i))}}});
  for (size_t i = 0; i < protocol_names.size(); ++i)
    for (size_t idle = 0; idle < 2; ++idle)
      connections[i][idle] =
          &books.gauge("caf_http_connections", "Open connections.",
                       {{"proto", protocol_names[i]}, {"state", idle ? "idle" : "active"}});
  for (size_t i = 0; i < nudge_cause_count; ++i)
    nudges_[i] =
        &books.counter("caf_http_nudges_total", "Connections that were asked to go, by why.",
                       {{"cause", name_of(static_cast<nudge_cause>(i))}});
  for (size_t i = 0; i < tls_result_count; ++i)
    handshakes_[i] = &handshakes(books, static_cast<tls_result>(i));
  for (size_t i = 0; i < h2_abuse_count; ++i)
    h2_abuses_[i] =
        &books.counter("caf_http_h2_abuse_total", "HTTP/2 connections that spent a budget.",
                       {{"kind", std::string{to_string(static_cast<h2_abuse>(i))}}});
  for (size_t i = 0; i < goaway_names.size(); ++i)
    h2_goaways_[i] =
        &books.counter("caf_http_h2_goaways_total", "HTTP/2 connections that we ended.",
                       {{"code", goaway_names[i]}});
  for (size_t i = 0; i < wait_state_count; ++i)
    in_flight_[i] =
        &books.gauge("caf_http_requests_in_flight", "Open requests by what they wait for.",
                     {{"state", name_of(static_cast<wait_state>(i))}});
}

void http_metrics::h2_goaway(h2_code code) const {
  if (const auto i = static_cast<size_t>(code); i < h2_goaways_.size())
    h2_goaways_[i]->add();
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

// The counters of the web tier, registered once per node and shared by its loops. Labels come from
// the configuration or from fixed sets, never from a client.
#pragma once

#include <array>

#include "actors/http/h2_budget.hpp"
#include "actors/http/rejection.hpp"
#include "caf_app/base/metrics.hpp"

namespace caf_app::http {

enum class h2_code : uint32_t;

/// Why a connection ended.
enum class close_reason : uint8_t {
  client,   ///< the client closed it
  answered, ///< after a response that announced the end
  rejected, ///< bad input
  timeout,  ///< a deadline of the connection passed
  failed,   ///< a system call failed: reset, broken pipe
  aborted,  ///< the content of a response could not be completed
  drained,  ///< the node or the listener went away
  crashed,  ///< an exception or a kill ended its actor
};

constexpr size_t close_reason_count = static_cast<size_t>(close_reason::crashed) + 1;

std::string_view to_string(close_reason reason) noexcept;

/// What open requests wait for.
enum class wait_state : uint8_t { local, upstream, actor, eval, write };

constexpr size_t wait_state_count = static_cast<size_t>(wait_state::write) + 1;

/// How an actor route ended.
enum class actor_outcome : uint8_t {
  ok,
  no_such_name,  ///< nobody has the name
  not_delivered, ///< the actor had ended, or the way to it is congested
  failed,        ///< it, or the way to it, was lost after the question
  timed_out,
  refused,   ///< the actor answered with an error of its own
  cancelled, ///< the client went away first
};

constexpr size_t actor_outcome_count = static_cast<size_t>(actor_outcome::cancelled) + 1;

/// Why the client of a connection was asked to open another one.
enum class nudge_cause : uint8_t {
  age,
  requests,
  idle,
  drain,
  rebalance, ///< another instance shall get its load
};

constexpr size_t nudge_cause_count = static_cast<size_t>(nudge_cause::rebalance) + 1;

/// How a TLS handshake ended.
enum class tls_result : uint8_t { v1_2, v1_2_resumed, v1_3, v1_3_resumed, failed, late };

constexpr size_t tls_result_count = static_cast<size_t>(tls_result::late) + 1;

/// Any thread.
class http_metrics {
public:
  explicit http_metrics(metrics& registry);

  /// Nothing for faults that are not counted (rejection::reason).
  void rejected(fault why) const {
    if (auto* counter = rejected_[static_cast<size_t>(why)])
      counter->add();
  }
  void closed(close_reason reason) const { closed_[static_cast<size_t>(reason)]->add(); }
  void nudged(nudge_cause cause) const { nudges_[static_cast<size_t>(cause)]->add(); }
  void handshake(tls_result result) const { handshakes_[static_cast<size_t>(result)]->add(); }

  /// A connection ended because this budget was spent.
  void h2_abused(h2_abuse kind) const { h2_abuses_[static_cast<size_t>(kind)]->add(); }

  /// A last GOAWAY was sent.
  void h2_goaway(h2_code code) const;

  gauge& in_flight(wait_state state) const { return *in_flight_[static_cast<size_t>(state)]; }

  metrics& registry;
  /// @param protocol of client_protocol, [1] are those that are idle
  std::array<std::array<gauge*, 2>, 3> connections{};
  counter& crashes;            ///< connections whose actor ended abnormally
  counter& pauses_descriptors; ///< accepting stopped for a while: this and the next two
  counter& pauses_limit;
  counter& pauses_handshakes;
  counter& cut_by_drain;    ///< requests, at the deadline of a drain
  counter& log_dropped;     ///< lines of the access log
  counter& rate_dry_run;    ///< requests that a limit on trial would have refused
  histogram& drain_seconds; ///< of a listener, to its last connection

private:
  std::array<counter*, fault_count> rejected_{};
  std::array<counter*, close_reason_count> closed_{};
  std::array<gauge*, wait_state_count> in_flight_{};
  std::array<counter*, nudge_cause_count> nudges_{};
  std::array<counter*, tls_result_count> handshakes_{};
  std::array<counter*, h2_abuse_count> h2_abuses_{};
  std::array<counter*, 14> h2_goaways_{}; // by code; RFC 9113 §7
};

/// The counters of one route.
class route_metrics {
public:
  route_metrics(metrics& registry, const std::string& site, const std::string& route);

  /// @param status 0: the request ended without one
  /// @param received bytes of its content
  /// @param sent bytes of content
  void answered(uint16_t status, double seconds, uint64_t received, uint64_t sent) const {
    by_class_[status / 100 < 6 ? status / 100 : 0]->add();
    seconds_->observe(seconds);
    if (received > 0)
      received_->add(received);
    if (sent > 0)
      sent_->add(sent);
  }

private:
  std::array<counter*, 6> by_class_{}; // [0]: ended without a status
  histogram* seconds_;
  counter* received_; // of the site
  counter* sent_;
};

/// The outcomes of one actor route.
class actor_metrics {
public:
  actor_metrics(metrics& registry, const std::string& route);

  void ended(actor_outcome outcome) const { by_outcome_[static_cast<size_t>(outcome)]->add(); }

private:
  std::array<counter*, actor_outcome_count> by_outcome_{};
};

} // namespace caf_app::http

// Which server of an upstream gets the next request: balancing, passive ejection, slow start, the
// verdicts of active checks. Books of one loop; pure, time is an argument.
//
//   usable --eject_fails within eject_window--> ejected --eject_time--> usable (slow start)
//   usable --set_down(down)--> down --set_down(up)--> usable (slow start)
//
// Least connections and smooth weighted round robin as in nginx; rendezvous hashing after Thaler
// and Ravishankar (1998): a server that goes away moves only its own keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "caf_app/base/time.hpp"

namespace caf_app::http {

enum class balance_kind : uint8_t { least_conn, round_robin, hash_ip, hash_path };

struct upstream_server_rule {
  uint32_t weight = 1;
  bool backup = false; ///< only if no other can be used
};

/// The keys of [[http.upstream]] that matter here.
struct upstream_rules {
  balance_kind balance = balance_kind::least_conn;
  size_t max_conns = 256;                                   ///< requests at once per server
  size_t eject_fails = 5;                                   ///< within the window; 0: never ejected
  steady::duration eject_window = std::chrono::seconds{10}; ///< in which failures count
  steady::duration eject_time = std::chrono::seconds{10};   ///< out of use
  double eject_max = 0.5;         ///< share of the servers that may be out at once
  steady::duration slow_start{0}; ///< linear ramp of the weight after recovery; 0: none
};

/// What a request says of its server.
enum class server_verdict : uint8_t {
  good,    ///< a whole response: earlier failures are forgotten
  bad,     ///< unreachable, late, or no valid response
  unknown, ///< it ended for another reason
};

enum class server_health : uint8_t { up, down };

/// Servers that a request must not get again.
using server_set = std::vector<bool>;

/// Servers are numbered as in the configuration.
class upstream_balancer {
public:
  upstream_balancer(const upstream_rules& rules, const std::vector<upstream_server_rule>& servers);

  /// Chooses and counts a server.
  /// @param key of hash balancing
  /// @returns nothing if none can be used now
  std::optional<size_t> pick(steady::time_point now, std::string_view key,
                             const server_set& tried = {});

  /// The request of a pick() is over.
  void done(size_t server, server_verdict verdict, steady::time_point now);

  /// What active checks found. A server that is down is never picked.
  void set_health(size_t server, server_health health, steady::time_point now);

  /// Requests at `server`.
  size_t active(size_t server) const { return states_[server].active; }

  /// Whether it is out of use for its failures.
  bool is_ejected(size_t server, steady::time_point now) const {
    return now < states_[server].out_until;
  }
  bool is_down(size_t server) const { return states_[server].down; }

  /// Whether all are ejected or down, so that waiting for room does not help.
  bool is_dead(steady::time_point now) const;

  size_t servers() const noexcept { return states_.size(); }

private:
  struct state {
    upstream_server_rule rule;
    size_t active = 0;
    std::deque<steady::time_point> fails;
    steady::time_point out_until{};
    std::optional<steady::time_point> back_since; // of slow start
    bool down = false;
    double round = 0; // of smooth weighted round robin
  };

  bool usable(const state& which, steady::time_point now) const;
  double weight(const state& which, steady::time_point now) const;
  size_t choose(steady::time_point now, std::string_view key);
  size_t least_busy(steady::time_point now);
  size_t next_in_turn(steady::time_point now);
  size_t owner_of(std::string_view key, steady::time_point now) const;
  void fail(state& which, steady::time_point now);

  upstream_rules rules_;
  std::vector<state> states_;
  std::vector<size_t> from_; // scratch: candidates of a pick
  size_t turn_ = 0;
};

} // namespace caf_app::http

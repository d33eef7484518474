// How much of what costs us more than it costs the client one HTTP/2 connection may do: a token
// bucket per kind of abuse. Sources: CVE-2019-9511..9518 (floods), CVE-2023-44487 (resets
// received), CVE-2025-8671 (resets that a client provokes), RFC 9113 §10.5. Pure: time is an
// argument.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "caf_app/base/time.hpp"

namespace caf_app::http {

enum class h2_abuse : uint8_t {
  resets_received, ///< RST_STREAM from the client
  resets_sent,     ///< RST_STREAM from us, whoever's idea it was, but for refused streams
  control,         ///< PING, SETTINGS, PRIORITY, GOAWAY, and DATA without content or end
  window_updates,  ///< WINDOW_UPDATE; earned back by what it is for, see h2_budget::earn
  malformed,       ///< malformed requests
  refused,         ///< streams over the limit
};

constexpr size_t h2_abuse_count = static_cast<size_t>(h2_abuse::refused) + 1;

/// Label of the counter, for example "resets_received".
std::string_view to_string(h2_abuse kind) noexcept;

/// Depth of a bucket, and tokens that come back per second.
struct h2_bucket_limits {
  double burst;
  double per_second;
};

struct h2_budget_limits {
  std::array<h2_bucket_limits, h2_abuse_count> buckets{
      {{400, 33}, {100, 10}, {400, 50}, {256, 0}, {50, 1}, {200, 20}}};
};

/// Tokens of window_updates per DATA frame sent.
constexpr double h2_window_updates_per_data = 4;

/// Tokens of window_updates per response head sent: some clients open the window of each stream,
/// also of those that are answered without content.
constexpr double h2_window_updates_per_response = 2;

enum class h2_budget_state : uint8_t {
  fine,
  strained, ///< three quarters of the bucket are gone: time for a graceful GOAWAY
  spent,    ///< this one could not be paid: ENHANCE_YOUR_CALM
};

/// The buckets of one connection, full at the beginning.
class h2_budget {
public:
  h2_budget(const h2_budget_limits& limits, steady::time_point now);

  /// Pays for one event.
  h2_budget_state spend(h2_abuse kind, steady::time_point now);

  /// Gives tokens; they may pile up beyond the burst, up to 64 times of it.
  void earn(h2_abuse kind, double tokens);

private:
  struct bucket {
    double tokens;
    steady::time_point filled;
  };

  h2_budget_limits limits_;
  std::array<bucket, h2_abuse_count> buckets_;
};

} // namespace caf_app::http

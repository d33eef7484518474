#include "actors/http/h2_budget.hpp"

#include <algorithm>

namespace caf_app::http {

namespace {

constexpr double savings_max = 64; // times the burst
constexpr double strained_below = 0.25;

} // namespace

std::string_view to_string(h2_abuse kind) noexcept {
  switch (kind) {
    case h2_abuse::resets_received: return "resets_received";
    case h2_abuse::resets_sent: return "resets_sent";
    case h2_abuse::control: return "control";
    case h2_abuse::window_updates: return "window_updates";
    case h2_abuse::malformed: return "malformed";
    case h2_abuse::refused: return "refused";
  }
  return "unknown";
}

h2_budget::h2_budget(const h2_budget_limits& limits, steady::time_point now) : limits_(limits) {
  for (size_t i = 0; i < h2_abuse_count; ++i)
    buckets_[i] = {limits.buckets[i].burst, now};
}

h2_budget_state h2_budget::spend(h2_abuse kind, steady::time_point now) {
  const auto& limits = limits_.buckets[static_cast<size_t>(kind)];
  auto& bucket = buckets_[static_cast<size_t>(kind)];
  const auto earned = to_seconds(now - bucket.filled) * limits.per_second;
  bucket.filled = now;
  if (bucket.tokens < limits.burst)
    bucket.tokens = std::min(limits.burst, bucket.tokens + earned);
  if (bucket.tokens < 1)
    return h2_budget_state::spent;
  bucket.tokens -= 1;
  return bucket.tokens <= limits.burst * strained_below ? h2_budget_state::strained
                                                        : h2_budget_state::fine;
}

void h2_budget::earn(h2_abuse kind, double tokens) {
  auto& bucket = buckets_[static_cast<size_t>(kind)];
  const auto most = limits_.buckets[static_cast<size_t>(kind)].burst * savings_max;
  bucket.tokens = std::min(most, bucket.tokens + tokens);
}

} // namespace caf_app::http

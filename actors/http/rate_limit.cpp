#include "actors/http/rate_limit.hpp"

#include <algorithm>
#include <cmath>

#include <arpa/inet.h>

namespace caf_app::http {

namespace {

steady::duration to_duration(double seconds) {
  return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(seconds));
}

} // namespace

void rate_limit::set_instances(size_t instances) {
  instances_ = static_cast<double>(std::max<size_t>(instances, 1));
}

rate_limit::place rate_limit::find_or_add(std::string_view key, steady::time_point now) {
  if (const auto found = table_.find(key); found != table_.end()) {
    entries_.splice(entries_.begin(), entries_, found->second);
    return entries_.begin();
  }
  if (table_.size() >= options_.keys_max) {
    table_.erase(entries_.back().key);
    entries_.pop_back();
  }
  entries_.push_front({std::string{key}, now});
  table_.emplace(entries_.front().key, entries_.begin());
  return entries_.begin();
}

rate_limit::decision rate_limit::admit(std::string_view key, steady::time_point now) {
  const auto found = find_or_add(key, now);
  const auto cost = to_duration(instances_ / options_.per_second);
  const auto burst = std::max(1.0, options_.burst / instances_);
  const auto depth = to_duration(burst * instances_ / options_.per_second);
  const auto full_at = std::max(found->full_at, now) + cost;
  const auto late = full_at - now - depth; // above 0: the bucket is empty for that long
  if (late <= steady::duration::zero()) {
    found->full_at = full_at;
    return {true, std::chrono::seconds{0}};
  }
  const auto wait = std::chrono::ceil<std::chrono::seconds>(late);
  return {false, std::max(wait, std::chrono::seconds{1})};
}

std::string rate_key_of_address(std::string_view address) {
  std::string text{address};
  in6_addr bytes;
  if (inet_pton(AF_INET6, text.c_str(), &bytes) != 1)
    return text;
  constexpr size_t network_bytes = 8;
  if (IN6_IS_ADDR_V4MAPPED(&bytes)) {
    char buffer[INET_ADDRSTRLEN];
    return inet_ntop(AF_INET, bytes.s6_addr + 12, buffer, sizeof buffer);
  }
  std::fill(bytes.s6_addr + network_bytes, bytes.s6_addr + sizeof bytes.s6_addr, uint8_t{0});
  char buffer[INET6_ADDRSTRLEN];
  return std::string{inet_ntop(AF_INET6, &bytes, buffer, sizeof buffer)} + "/64";
}

} // namespace caf_app::http

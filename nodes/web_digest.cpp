#include "nodes/web_digest.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <boost/json.hpp>

namespace caf_app {

namespace json = boost::json;

namespace {

constexpr std::string_view own_route = "route=\"admin\"";

double number(std::string_view text) {
  double result = 0;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

/// The value of a label; empty if there is none. Ours hold no quotes.
std::string_view label(std::string_view labels, std::string_view name) {
  const auto at = labels.find(std::string{name} + "=\"");
  if (at == labels.npos)
    return {};
  const auto from = at + name.size() + 2;
  return labels.substr(from, labels.find('"', from) - from);
}

void add_line(web_digest& out, std::string_view line) {
  const auto space = line.rfind(' ');
  if (line.empty() || line.front() == '#' || space == line.npos)
    return;
  const auto brace = line.find('{');
  const auto name = line.substr(0, std::min(brace, space));
  const auto labels = brace < space ? line.substr(brace, space - brace) : std::string_view{};
  if (labels.find(own_route) != labels.npos)
    return;
  const auto value = number(line.substr(space + 1));
  if (name == "caf_http_requests_total") {
    out.requests += static_cast<uint64_t>(value);
    if (label(labels, "code_class") == "5xx")
      out.failed += static_cast<uint64_t>(value);
  } else if (name == "caf_http_requests_in_flight") {
    out.in_flight += static_cast<int64_t>(value);
  } else if (name == "caf_http_request_seconds_bucket") {
    if (const auto bound = label(labels, "le"); bound != "+Inf")
      out.faster[number(bound)] += static_cast<uint64_t>(value);
    else
      out.faster[HUGE_VAL] += static_cast<uint64_t>(value);
  }
}

uint64_t gained(const web_digest& before, double bound, uint64_t count) {
  const auto found = before.faster.find(bound);
  const auto then = found == before.faster.end() ? 0 : found->second;
  return count > then ? count - then : 0; // less: the node has begun again
}

} // namespace

web_digest digest_metrics(std::string_view exposition) {
  web_digest result;
  while (!exposition.empty()) {
    const auto end = std::min(exposition.find('\n'), exposition.size());
    add_line(result, exposition.substr(0, end));
    exposition.remove_prefix(std::min(end + 1, exposition.size()));
  }
  return result;
}

std::optional<double> quantile(const web_digest& before, const web_digest& after, double share) {
  const auto total = after.faster.empty() ? 0
                                          : gained(before, after.faster.rbegin()->first,
                                                   after.faster.rbegin()->second);
  if (total == 0)
    return std::nullopt;
  const auto wanted = share * static_cast<double>(total);
  double lower = 0;
  double below = 0;
  for (const auto& [bound, count] : after.faster) {
    const auto here = static_cast<double>(gained(before, bound, count));
    if (bound == HUGE_VAL)
      return lower;
    if (here >= wanted && here > below)
      return lower + (bound - lower) * (wanted - below) / (here - below);
    lower = bound;
    below = here;
  }
  return lower;
}

std::string to_json(const web_digest& digest, int64_t at_ms) {
  json::array faster;
  for (const auto& [bound, count] : digest.faster)
    faster.push_back({bound == HUGE_VAL ? json::value(nullptr) : json::value(bound), count});
  return json::serialize(json::object{{"requests", digest.requests},
                                      {"failed", digest.failed},
                                      {"in_flight", digest.in_flight},
                                      {"faster", std::move(faster)},
                                      {"at_ms", at_ms}});
}

} // namespace caf_app

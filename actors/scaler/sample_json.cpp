#include "actors/scaler/sample_json.hpp"

#include <cmath>

#include <boost/json.hpp>

#include "actors/scaler/maybe_json.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

constexpr size_t loops_max = 256;
constexpr size_t upstreams_max = 256;

json::array array_of(const std::vector<std::optional<double>>& values) {
  json::array result;
  for (const auto& x : values)
    result.push_back(maybe(x));
  return result;
}

std::optional<double> real(const json::value* x) {
  if (!x || !x->is_number())
    return std::nullopt;
  json::error_code failed;
  const auto result = x->to_number<double>(failed);
  if (failed || !std::isfinite(result) || result < 0)
    return std::nullopt;
  return result;
}

std::optional<uint64_t> whole(const json::value* x) {
  if (!x || !x->is_number())
    return std::nullopt;
  json::error_code failed;
  const auto result = x->to_number<uint64_t>(failed);
  return failed ? std::nullopt : std::optional{result};
}

std::vector<std::optional<double>> reals(const json::value* x) {
  std::vector<std::optional<double>> result;
  if (x && x->is_array() && x->as_array().size() <= loops_max)
    for (const auto& each : x->as_array())
      result.push_back(real(&each));
  return result;
}

std::string text(const json::value* x) {
  return x && x->is_string() ? std::string{x->as_string()} : std::string{};
}

} // namespace

std::string to_json(const web_sample& s) {
  json::array upstreams;
  for (const auto& each : s.upstreams)
    upstreams.push_back(
        {{"name", each.name}, {"queue_peak", each.queue_peak}, {"again", each.again}});
  json::object result{{"instance", s.instance},
                      {"incarnation", s.incarnation},
                      {"seq", s.seq},
                      {"at_ns", s.at.time_since_epoch().count()},
                      {"window_ns", s.window.count()},
                      {"busy", array_of(s.loop_busy)},
                      {"run_delay", array_of(s.loop_run_delay)},
                      {"lag_us", maybe(s.lag_us)},
                      {"accept_queue_peak", maybe(s.accept_queue_peak)},
                      {"accepted", maybe(s.accepted)},
                      {"connections", maybe(s.connections)},
                      {"idle_connections", maybe(s.idle_connections)},
                      {"requests", maybe(s.requests)},
                      {"in_flight", maybe(s.in_flight)},
                      {"upstreams", std::move(upstreams)},
                      {"fpm_idle", maybe(s.fpm_idle)},
                      {"cpu_us", maybe(s.cpu_us)},
                      {"rss_bytes", maybe(s.rss_bytes)}};
  if (s.time)
    result["time"] =
        json::array{s.time->local, s.time->upstream, s.time->actor, s.time->eval, s.time->queue};
  return json::serialize(result);
}

caf::expected<web_sample> parse_sample(std::string_view line) {
  json::error_code failed;
  const auto value = json::parse(json::string_view{line.data(), line.size()}, failed);
  const auto bad = [](const char* what) {
    return caf::make_error(errc::invalid_argument, std::string{"no sample: "} + what);
  };
  if (failed || !value.is_object())
    return bad("expected a JSON object");
  const auto& x = value.as_object();
  web_sample s;
  s.instance = text(x.if_contains("instance"));
  s.incarnation = text(x.if_contains("incarnation"));
  const auto at = whole(x.if_contains("at_ns"));
  const auto window = whole(x.if_contains("window_ns"));
  const auto seq = whole(x.if_contains("seq"));
  if (s.instance.empty() || !at || !window || !seq)
    return bad("expected instance, at_ns, window_ns and seq");
  s.at = steady::time_point{steady::duration{static_cast<int64_t>(*at)}};
  s.window = steady::duration{static_cast<int64_t>(*window)};
  s.seq = *seq;
  s.loop_busy = reals(x.if_contains("busy"));
  s.loop_run_delay = reals(x.if_contains("run_delay"));
  s.lag_us = real(x.if_contains("lag_us"));
  s.accept_queue_peak = whole(x.if_contains("accept_queue_peak"));
  s.accepted = whole(x.if_contains("accepted"));
  s.connections = whole(x.if_contains("connections"));
  s.idle_connections = whole(x.if_contains("idle_connections"));
  s.requests = whole(x.if_contains("requests"));
  s.in_flight = whole(x.if_contains("in_flight"));
  s.fpm_idle = whole(x.if_contains("fpm_idle"));
  s.cpu_us = real(x.if_contains("cpu_us"));
  s.rss_bytes = whole(x.if_contains("rss_bytes"));
  if (const auto parts = reals(x.if_contains("time")); parts.size() == 5)
    s.time = time_split{parts[0].value_or(0), parts[1].value_or(0), parts[2].value_or(0),
                        parts[3].value_or(0), parts[4].value_or(0)};
  if (const auto* list = x.if_contains("upstreams"); list && list->is_array())
    for (const auto& each : list->as_array())
      if (each.is_object() && s.upstreams.size() < upstreams_max)
        s.upstreams.push_back({text(each.as_object().if_contains("name")),
                               whole(each.as_object().if_contains("queue_peak")).value_or(0),
                               whole(each.as_object().if_contains("again")).value_or(0)});
  return s;
}

} // namespace caf_app::scaler

#include "actors/scaler/eval_report.hpp"

#include <cmath>

#include <boost/json.hpp>

#include "actors/scaler/host_json.hpp"
#include "actors/scaler/maybe_json.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

/// What is negative or no number stays missing.
template <class T>
void take(std::optional<T>& out, const json::value& x) {
  if (!x.is_number())
    return;
  const auto value = x.to_number<double>();
  if (std::isfinite(value) && value >= 0)
    out = x.to_number<T>();
}

json::object to_object(const eval_sample& s) {
  return {{"at_ns", s.at.time_since_epoch().count()},
          {"seq", s.seq},
          {"workers", s.workers},
          {"queue_max", s.queue_max},
          {"compiling", s.compiling},
          {"busy", maybe(s.busy)},
          {"queue", maybe(s.queue)},
          {"wait_p50_us", maybe(s.queue_wait_p50_us)},
          {"wait_p99_us", maybe(s.queue_wait_p99_us)},
          {"service_p50_us", maybe(s.service_p50_us)},
          {"calls", maybe(s.calls)},
          {"rejected", maybe(s.rejected)},
          {"rate", maybe(s.rate)},
          {"run_delay", maybe(s.run_delay)},
          {"cpu_cores", maybe(s.cpu_cores)}};
}

eval_sample sample_of(const json::object& x, steady::duration shift) {
  eval_sample s;
  s.at = steady::time_point{steady::duration{x.at("at_ns").to_number<int64_t>()}} + shift;
  s.seq = x.at("seq").to_number<uint64_t>();
  s.workers = x.at("workers").to_number<uint64_t>();
  s.queue_max = x.at("queue_max").to_number<uint64_t>();
  s.compiling = x.at("compiling").to_number<uint64_t>();
  take(s.busy, x.at("busy"));
  take(s.queue, x.at("queue"));
  take(s.queue_wait_p50_us, x.at("wait_p50_us"));
  take(s.queue_wait_p99_us, x.at("wait_p99_us"));
  take(s.service_p50_us, x.at("service_p50_us"));
  take(s.calls, x.at("calls"));
  take(s.rejected, x.at("rejected"));
  take(s.rate, x.at("rate"));
  take(s.run_delay, x.at("run_delay"));
  take(s.cpu_cores, x.at("cpu_cores"));
  return s;
}

eval_report read(const json::object& x, steady::time_point now) {
  const auto count = [&](const char* key) { return x.at(key).to_number<uint64_t>(); };
  const auto shift =
      now - steady::time_point{steady::duration{x.at("now_ns").to_number<int64_t>()}};
  eval_report result;
  result.workers = {count("max"), count("starting"), count("unbound"), count("bound"),
                    count("busy")};
  if (const auto& sample = x.at("sample"); !sample.is_null())
    result.sample = sample_of(sample.as_object(), shift);
  if (const auto& host = x.at("host"); !host.is_null())
    result.host = host_from_json(host.as_object(), shift);
  return result;
}

} // namespace

std::string to_json(const eval_report& report, steady::time_point now) {
  const auto& workers = report.workers;
  return json::serialize(json::object{
      {"now_ns", now.time_since_epoch().count()},
      {"max", workers.max},
      {"starting", workers.starting},
      {"unbound", workers.unbound},
      {"bound", workers.bound},
      {"busy", workers.busy},
      {"sample", report.sample ? json::value(to_object(*report.sample)) : json::value(nullptr)},
      {"host", report.host ? json::value(host_to_json(*report.host)) : json::value(nullptr)}});
}

caf::expected<eval_report> parse_eval_report(std::string_view text, steady::time_point now) {
  try {
    return read(json::parse(json::string_view{text.data(), text.size()}).as_object(), now);
  } catch (const std::exception& why) {
    return caf::make_error(errc::invalid_argument,
                           std::string{"no report of an evaluator: "} + why.what());
  }
}

} // namespace caf_app::scaler

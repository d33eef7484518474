#include "actors/scaler/decision_log.hpp"

#include <cmath>
#include <ctime>

#include <boost/json.hpp>

namespace caf_app::scaler {

namespace json = boost::json;

namespace {

std::string iso(wall::time_point at) {
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch()).count();
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::string text(40, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts));
  const auto rest = std::to_string(1000 + ms % 1000);
  return text + "." + rest.substr(1) + "Z";
}

/// Four digits are enough for people.
json::value rounded(const std::optional<double>& x) {
  if (!x || !std::isfinite(*x))
    return nullptr;
  return std::round(*x * 10'000) / 10'000;
}

json::object inputs_of(const reading& x) {
  json::array missing;
  for (const auto& name : x.missing)
    missing.emplace_back(name);
  return {{"n", x.n},
          {"u", rounded(x.u)},
          {"u_max", rounded(x.u_max)},
          {"u_min", rounded(x.u_min)},
          {"w", rounded(x.w)},
          {"run_delay", rounded(x.run_delay)},
          {"idle_cores", rounded(x.idle_cores)},
          {"accept_queue_peak", x.accept_queue_peak},
          {"lag_us", std::round(x.lag_us)},
          {"rps", std::round(x.rps)},
          {"missing", std::move(missing)}};
}

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

} // namespace

bool decision_log::is_news(const decision& made, steady::time_point now) const {
  if (!last_ || made.inputs.what != last_->inputs.what || made.why != last_->why ||
      made.what != last_->what)
    return true;
  // A rebalancing and a dry run say the same until something changes.
  if (made.what != action::hold && made.what != action::rebalance && made.applied)
    return true;
  return now < last_at_ || now - last_at_ >= period_;
}

std::optional<std::string> decision_log::note(const decision& made, steady::time_point now,
                                              wall::time_point at) {
  if (!is_news(made, now))
    return std::nullopt;
  last_ = made;
  last_at_ = now;
  const json::object line{{"at", iso(at)},
                          {"seq", ++seq_},
                          {"target", target_},
                          {"action", to_string(made.what)},
                          {"from", made.from},
                          {"to", made.wanted},
                          {"victim", text_or_null(made.victim)},
                          {"verdict", to_string(made.inputs.what)},
                          {"reason", to_string(made.why)},
                          {"applied", made.applied},
                          {"inputs", inputs_of(made.inputs)},
                          {"held_by", text_or_null(to_string(made.held_by))}};
  lines_.push_back(json::serialize(line));
  if (lines_.size() > lines_max)
    lines_.pop_front();
  return lines_.back();
}

} // namespace caf_app::scaler

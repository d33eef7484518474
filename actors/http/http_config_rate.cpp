// `rate_limit`, `rate_burst`, `rate_key`, `rate_dry_run` of a route.
#include <charconv>

#include "actors/http/http_config_rule.hpp"

namespace caf_app::http {

namespace {

constexpr size_t amount_max = 1'000'000;

/// "100/s", "10/m", "1000/h"; empty: off.
bool parse_rate(std::string_view text, rate_rule& out) {
  size_t amount = 0;
  const auto [end, bad] = std::from_chars(text.begin(), text.end(), amount);
  const std::string_view unit{end, static_cast<size_t>(text.end() - end)};
  if (bad != std::errc{} || amount == 0 || amount > amount_max)
    return false;
  const auto seconds = unit == "/s" ? 1.0 : unit == "/m" ? 60.0 : unit == "/h" ? 3600.0 : 0.0;
  if (seconds == 0)
    return false;
  out.amount = amount;
  out.per_second = static_cast<double>(amount) / seconds;
  return true;
}

config_rule<rate_rule> rate_rule_rule() {
  return {"rate of 1/h to " + std::to_string(amount_max) + "/s, or \"\"",
          [](const config_value& value, rate_rule& out, config_report& report) {
            const auto* text = value.as<std::string>();
            if (!text || (!text->empty() && !parse_rate(*text, out)))
              return expected_other(
                  value, "requests per time such as \"100/s\", \"10/m\" or \"1000/h\"", report);
            return true;
          },
          [](const rate_rule&) { return std::string{"\"\""}; }};
}

config_rule<rate_rule> rate_key_rule() {
  return {"string",
          [](const config_value& value, rate_rule& out, config_report& report) {
            constexpr std::string_view prefix = "header:";
            const auto* text = value.as<std::string>();
            if (text && *text == "ip")
              out.key = rate_key_kind::ip;
            else if (text && *text == "route")
              out.key = rate_key_kind::route;
            else if (text && text->starts_with(prefix) && is_token(text->substr(prefix.size()))) {
              out.key = rate_key_kind::header;
              out.header = to_lower(text->substr(prefix.size()));
            } else
              return expected_other(value, "\"ip\", \"route\" or \"header:NAME\"", report);
            return true;
          },
          [](const rate_rule&) { return std::string{"\"ip\""}; }};
}

} // namespace

void add_rate_keys(config_schema<http_route>& schema) {
  schema
      .key("rate_limit", &http_route::rate, rate_rule_rule(),
           "requests of one key, of the whole host; beyond: 429")
      .key("rate_burst", &http_route::own_rate_burst, as_optional(as_count(1, amount_max)),
           "requests at once; those of rate_limit unless written")
      .key(
          "rate_key", &http_route::rate, rate_key_rule(),
          "whose requests are counted together: \"ip\" (IPv6: its /64), \"route\", \"header:NAME\"")
      .key(
          "rate_dry_run", [](http_route& route) -> bool& { return route.rate.dry_run; },
          as_boolean(), "count what would be refused, refuse nothing");
}

void check_rate(const config_value& table, http_route& out, config_report& report) {
  if (out.rate.is_on()) {
    out.rate.burst = static_cast<double>(out.own_rate_burst.value_or(out.rate.amount));
    return;
  }
  for (const auto* key : {"rate_burst", "rate_key", "rate_dry_run"})
    if (const auto* value = table.find(key))
      report.add(value->at, "found \"" + std::string{key} + "\" without \"rate_limit\"");
}

} // namespace caf_app::http

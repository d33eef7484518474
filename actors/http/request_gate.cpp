#include "actors/http/request_gate.hpp"

#include "actors/http/client_address.hpp"

namespace caf_app::http {

std::optional<std::string> over_rate(loop_context& context, const route_entry& route,
                                     std::string_view peer, const field_list& fields) {
  const auto& rule = route.config.rate;
  if (!rule.is_on())
    return std::nullopt;
  std::string client;
  if (rule.key == rate_key_kind::ip)
    client = client_address(peer, fields, context.table->config().trusted_proxies);
  const auto decision =
      context.rates.admit(route.rate_id, rule, rate_key(rule, client, fields), context.now);
  if (decision.allowed)
    return std::nullopt;
  if (rule.dry_run) {
    context.counters->rate_dry_run.add();
    return std::nullopt;
  }
  return std::to_string(decision.retry_after.count());
}

bool serves_scheme(const loop_context& context, const transport& connection, scheme named) {
  const auto own = connection.tls_version().empty() ? scheme::http : scheme::https;
  return named == own || named == scheme::none ||
         is_within(without_port(connection.peer()), context.table->config().trusted_proxies);
}

bool answer_unrouted(exchange& open, const route_decision& decision) {
  const auto allow = to_string(decision.allow);
  const field line{"Allow", allow};
  const auto fields = decision.allow.empty() ? std::span<const field>{} : std::span{&line, 1};
  const auto unknown = open.context().table->config().unknown_host;
  if (decision.outcome == route_outcome::options)
    open.respond_status(204, fields);
  else if (decision.outcome == route_outcome::refused)
    open.refuse(decision.error, fields);
  else if (unknown != unknown_host::close)
    open.refuse(unknown == unknown_host::not_found ? fault::not_found : fault::misdirected);
  else
    return false;
  return true;
}

} // namespace caf_app::http

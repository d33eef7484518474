#include "actors/http/proxy_handler.hpp"

#include "actors/http/client_address.hpp"
#include "actors/http/proxy_task_handler.hpp"

namespace caf_app::http {

namespace {

// RFC 9110 §7.6.2: the request ends here.
bool ends_here(const request_view& request) {
  return request.method == method::options &&
         request.fields->first(known_field::max_forwards) == "0";
}

method_set allowed(const http_route& route) {
  method_set result;
  for (const auto& name : route.methods)
    result.insert(parse_method(name));
  return result;
}

} // namespace

std::unique_ptr<exchange_task> proxy_handler::start(exchange& open) const {
  auto& context = open.context();
  if (context.overloaded || !context.upstreams) {
    refuse_for_now(open);
    return nullptr;
  }
  const auto& request = open.request();
  if (has_forbidden_connection(*request.fields)) {
    open.refuse(fault::field);
    return nullptr;
  }
  if (ends_here(request)) {
    const auto allow = to_string(allowed(entry_.config));
    const field line{"Allow", allow};
    open.respond_status(204, {&line, 1});
    return nullptr;
  }
  const auto& options = entry_.config.proxy;
  const auto& trusted = context.table->config().trusted_proxies;
  const auto id = request_id(open.peer(), *request.fields, trusted, context.seed, open.id());
  auto wish = options.websocket ? find_upgrade(request) : upgrade_wish{};
  proxy_facts facts;
  facts.peer = without_port(open.peer());
  facts.trusted = is_within(facts.peer, trusted);
  facts.request_id = id;
  facts.upgrade = wish.protocol;
  auto task = std::make_unique<proxy_task>(
      entry_, open, context.upstreams->of(plan_), balance_key(open, plan_->config.balance),
      proxy_request_head{request, options, facts}, std::move(wish));
  if (task->begin())
    return nullptr;
  return task;
}

} // namespace caf_app::http

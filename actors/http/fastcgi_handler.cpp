#include "actors/http/fastcgi_handler.hpp"

#include "actors/http/client_address.hpp"
#include "actors/http/fastcgi_params.hpp"
#include "actors/http/fastcgi_task_handler.hpp"

namespace caf_app::http {

namespace {

// As nginx and Apache call them.
std::string_view protocol_of(std::string_view version) {
  return version == "2" ? "HTTP/2.0" : version == "1.0" ? "HTTP/1.0" : "HTTP/1.1";
}

std::string params_of(exchange& open, const fastcgi_extras& extras) {
  const auto& request = open.request();
  auto& context = open.context();
  const auto& trusted = context.table->config().trusted_proxies;
  const auto peer = open.peer();
  const auto address = client_address(peer, *request.fields, trusted);
  const auto id = request_id(peer, *request.fields, trusted, context.seed, open.id());
  fastcgi_client client;
  client.address = address;
  if (address == without_port(peer))
    client.port = peer.substr(peer.rfind(':') + 1);
  client.scheme = request.scheme;
  client.protocol = protocol_of(request.version);
  client.request_id = id;
  return fastcgi_request_params(request, client, extras);
}

} // namespace

std::unique_ptr<exchange_task> fastcgi_handler::start(exchange& open) const {
  auto& context = open.context();
  if (context.overloaded || !context.upstreams || !context.workers) {
    refuse_for_now(open);
    return nullptr;
  }
  auto key = prefix_ + std::string{open.request().below};
  auto task = std::make_unique<fastcgi_task>(entry_, open, context.upstreams->of(plan_),
                                             balance_key(open, plan_->config.balance),
                                             params_of(open, entry_.config.fastcgi.params));
  if (const auto* known = context.scripts->find(key, context.now)) {
    if (task->use(*known))
      return nullptr;
  } else {
    task->find(std::move(key));
  }
  return task;
}

} // namespace caf_app::http

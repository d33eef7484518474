#include "actors/http/cache_refresh_actor.hpp"

#include <caf/send.hpp>

#include "actors/http/cache_actor.hpp"

namespace caf_app::http {

namespace {

// A refresh is for everybody: of this client's own wishes only that is left which keeps what the
// origin answers it from others.
cache_request wish_of_refresh(const field_list& fields) {
  const auto asked = read_cache_request(method::get, fields);
  cache_request result;
  result.has_authorization = asked.has_authorization;
  result.control.no_store = asked.control.no_store;
  return result;
}

// What the origin answers somebody with credentials, or who wants nothing kept, is none for others:
// the next request refreshes.
bool may_refresh(const cache_entry& stored, const cache_request& wish) {
  return !wish.control.no_store &&
         (!wish.has_authorization || allows_authorization(stored.control));
}

} // namespace

void begin_refresh(const cache_handler& handler, exchange& open, const std::string& key,
                   const cache_entry_ptr& stored) {
  const auto& service = handler.service();
  auto* owner = open.owner();
  auto context = open.context().weak_from_this().lock();
  if (!service.keeper || !owner || !owner->loop() || !context ||
      open.request().method != method::get ||
      !may_refresh(*stored, wish_of_refresh(*open.request().fields)))
    return;
  auto guardian = service.keeper->guardian();
  auto fill = guardian ? service.store->try_begin(key) : cache_fill{};
  if (!fill)
    return;
  auto order = std::make_shared<refresh_order>();
  order->table = context->table;
  order->context = std::move(context);
  order->handler = &handler;
  order->request = std::make_shared<kept_request>(open.request());
  order->key = key;
  order->peer = open.peer();
  order->stored = stored;
  order->fill = std::move(fill);
  order->guardian = std::move(guardian);
  spawn_on<cache_refresh_actor>(owner->system(), owner->loop(), std::move(order));
}

background_exchange::background_exchange(const request_view& request, const route_entry& entry,
                                         loop_context& context, connection_base& owner,
                                         std::string peer)
    : kept_(request), entry_(entry), context_(context), owner_(owner),
      id_(context.next_exchange_id()), peer_(std::move(peer)) {}

cache_refresh_actor::cache_refresh_actor(caf::actor_config& cfg, event_loop* loop,
                                         std::shared_ptr<refresh_order> order)
    : connection_base(cfg, loop), order_(std::move(order)),
      exchange_(order_->request->view(), order_->handler->entry(), *order_->context, *this,
                order_->peer) {}

caf::behavior cache_refresh_actor::make_behavior() {
  self_ = caf::actor_cast<caf::strong_actor_ptr>(this);
  link_to(order_->guardian);
  task_ = std::make_unique<cache_task>(*order_->handler, exchange_,
                                       wish_of_refresh(order_->request->fields()), order_->key);
  if (task_->refresh(order_->stored, std::move(order_->fill)))
    task_->on_body_end();
  settle();
  return {[this](caf::close_atom) { quit(); }};
}

void cache_refresh_actor::on_exit() {
  task_.reset();
  order_.reset();
  self_.reset();
}

exchange* cache_refresh_actor::find_open(uint64_t exchange_id) {
  return task_ && !exchange_.over() && exchange_id == exchange_.id() ? &exchange_ : nullptr;
}

// Socket callbacks come here too, so it only tells itself.
void cache_refresh_actor::settle() {
  if (exchange_.over() && !std::exchange(told_, true))
    caf::anon_send(caf::actor_cast<caf::actor>(this), caf::close_atom_v);
}

} // namespace caf_app::http

// How the web tier goes over to another configuration.
#include <algorithm>

#include <caf/send.hpp>

#include "actors/http/http_supervisor.hpp"
#include "actors/http/listener_actor.hpp"
#include "actors/http/upstream_pool_handler.hpp"

namespace caf_app::http {

// What has left its port and ended makes room for its id.
void http_service::forget_retired(const caf::actor& keeper) {
  const auto has_ended = [&](const std::shared_ptr<listener>& which) {
    const auto entry = options_.tree->find(join_path(keeper_path(), which->id));
    if (entry && entry->state != tree_state::ended)
      return false;
    caf::anon_send(keeper, remove_child{which->id});
    return true;
  };
  retired_.erase(std::remove_if(retired_.begin(), retired_.end(), has_ended), retired_.end());
}

caf::error http_service::reload(http_config_ptr config) {
  auto plans = make_plans(*config);
  if (!plans)
    return std::move(plans.error());
  auto table = make_table(config, *plans);
  if (!table)
    return std::move(table.error());
  auto loaded = certificates_->load(*config);
  if (!loaded)
    return std::move(loaded.error());
  const std::lock_guard guard{mutex_};
  const auto entry = options_.tree->find(keeper_path());
  const auto keeper = entry ? caf::actor_cast<caf::actor>(entry->address) : caf::actor{};
  if (keeper)
    forget_retired(keeper);
  std::map<std::string, std::shared_ptr<listener>> wanted;
  for (const auto& socket : options_.sockets)
    wanted[to_string(socket->address())] = listeners_[to_string(socket->address())];
  std::vector<std::shared_ptr<listener>> fresh;
  for (const auto& [key, where] : places_of(*config)) {
    auto& place = wanted[key];
    if (auto i = listeners_.find(key); i != listeners_.end()) {
      place = i->second;
      continue;
    }
    auto bound = bind(where, config->backlog, options_.sharing);
    if (!bound)
      return std::move(bound.error());
    place = *bound;
    fresh.push_back(std::move(*bound));
  }
  if (access_log_)
    if (auto err = access_log_->reopen())
      return err;
  // Nothing can fail from here on.
  certificates_->use(std::move(*loaded));
  for (size_t i = 0; i < contexts_.size(); ++i) {
    std::vector<std::pair<std::shared_ptr<listener_place>, bool>> modes;
    for (const auto& [key, at] : places_of(*config))
      modes.emplace_back(wanted[key]->states[i], at.tls);
    options_.loops[i]->post([context = contexts_[i], table = *table, tls = certificates_->current(),
                             plans = *plans, modes = std::move(modes)]() mutable {
      context->table = table;
      context->upstreams->use(std::move(plans));
      context->files->clear(); // of handlers that are gone
      context->tls = tls;
      for (const auto& [state, mode] : modes)
        state->tls = mode; // an address may have changed sides
    });
  }
  if (keeper) // else its next incarnation starts them
    for (const auto& which : fresh)
      caf::anon_send(keeper, add_child{std::make_shared<child_spec>(listener_spec(which))});
  for (const auto& [address, which] : listeners_)
    if (!wanted.count(address)) {
      which->leave();
      which->queue.reset();
      retired_.push_back(which);
    }
  listeners_ = std::move(wanted);
  plans_ = std::move(*plans);
  config_ = std::move(config);
  return caf::none;
}

} // namespace caf_app::http

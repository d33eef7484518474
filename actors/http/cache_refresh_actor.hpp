// Fetches a stale response anew while it is still served (RFC 5861 §3): a request without a client.
// One actor per refresh, linked to the cache's, so that it ends with the web tier.
#pragma once

#include <memory>
#include <string>

#include "actors/http/cache_handler.hpp"
#include "actors/http/cache_task_handler.hpp"
#include "actors/http/connection_base.hpp"
#include "actors/http/kept_request.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

/// Begins a refresh of `stored`, unless somebody fetches the same already.
void begin_refresh(const cache_handler& handler, exchange& open, const std::string& key,
                   const cache_entry_ptr& stored);

/// An exchange whose client is nobody: whatever is answered is dropped.
class background_exchange final : public exchange {
public:
  background_exchange(const request_view& request, const route_entry& entry, loop_context& context,
                      connection_base& owner, std::string peer);

  bool over() const noexcept { return over_; }

  const request_view& request() const override { return kept_.view(); }
  const route_entry& route() const override { return entry_; }
  loop_context& context() override { return context_; }
  connection_base* owner() override { return &owner_; }
  uint64_t id() const override { return id_; }
  std::string_view peer() const override { return peer_; }
  void respond(const response&) override { over_ = true; }
  void respond(const fixed_response&) override { over_ = true; }
  void refuse(fault, std::span<const field>) override { over_ = true; }
  void respond_status(uint16_t, std::span<const field>) override { over_ = true; }
  void respond(const response&, std::vector<content_part>) override { over_ = true; }
  void begin(const response&, std::optional<uint64_t>) override {}
  void write(std::string_view) override {}
  bool has_room() const override { return true; }
  void finish(std::span<const field>) override { over_ = true; }
  void abort() override { over_ = true; }
  void inform(uint16_t, std::span<const field>) override {}
  void invite() override {}
  void tunnel(std::span<const field>) override { over_ = true; }
  void note_upstream(std::chrono::microseconds) override {}
  void note_cache(std::string_view) override {}
  void pause_content() override {}
  void resume_content() override {}

private:
  kept_request kept_;
  const route_entry& entry_;
  loop_context& context_;
  connection_base& owner_;
  uint64_t id_;
  std::string peer_;
  bool over_ = false;
};

/// What a refresh needs from the request that has set it off.
struct refresh_order {
  std::shared_ptr<loop_context> context;
  site_table_ptr table; ///< keeps the handler
  const cache_handler* handler;
  std::shared_ptr<kept_request> request;
  std::string key;
  std::string peer;
  cache_entry_ptr stored;
  cache_fill fill;
  caf::actor guardian;
};

class cache_refresh_actor final : public connection_base {
public:
  cache_refresh_actor(caf::actor_config& cfg, event_loop* loop,
                      std::shared_ptr<refresh_order> order);

  const char* name() const override { return "http.cache_refresh"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  exchange* find_open(uint64_t exchange_id) override;
  void settle() override;

  std::shared_ptr<refresh_order> order_;
  background_exchange exchange_;
  std::unique_ptr<cache_task> task_;
  caf::strong_actor_ptr self_; // until it ends: nobody else knows it
  bool told_ = false;          // itself that it is over
};

} // namespace caf_app::http

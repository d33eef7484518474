// GET /v1/events of the admin interface: what the dashboard shows, as server-sent events. Each
// second the admin actor is asked what it also tells at /v1/status, /v1/nodes and so on, with the
// client's own token and `?node=`, and what has changed since the last time is sent:
//
//   status nodes names groups tree scaler decisions eval builds   JSON of the path of that name
//   web                                                           a digest of /metrics
//
// What a node does not have is null; what could not be asked is {"error", "code"}. A refusal of the
// first question is the answer of the whole request.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "actors/http/exchange.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

struct events_options {
  std::shared_ptr<const registry> names;
  std::string admin; ///< name of the admin actor
};

class events_handler final : public http::route_handler {
public:
  static constexpr size_t streams_max = 32;             ///< at once; more get 503
  static constexpr size_t event_bytes_max = 512 * 1024; ///< larger ones are an error instead
  static constexpr size_t decisions_max = 50;           ///< the last ones, in one event

  explicit events_handler(events_options options) : options_(std::move(options)) {}

  std::unique_ptr<http::exchange_task> start(http::exchange& open) const override;

private:
  class stream;

  events_options options_;
  mutable std::atomic<size_t> streams_ = 0;
};

} // namespace caf_app

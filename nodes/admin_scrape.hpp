// The part of admin_actor that answers `/metrics`: what the node counts and what its instances do,
// who are asked at that moment.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <caf/all.hpp>

#include "caf_app/base/metrics.hpp"
#include "caf_app/messages/http.hpp"
#include "caf_app/registry/asking.hpp"
#include "nodes/instance_metrics.hpp"

namespace caf_app {

/// Part of the actor's state.
class admin_scrape {
public:
  /// @param instances may be null
  admin_scrape(app_actor* self, metrics_ptr books, std::shared_ptr<instance_metrics> instances)
      : self_(self), books_(std::move(books)), instances_(std::move(instances)) {}

  /// Exposition format 0.0.4 of Prometheus, within half a second.
  caf::result<http_response> answer();

  /// The actor's handler of (uint64_t, std::string), which answer() sends.
  void deliver(uint64_t ticket, std::string text);

  /// The actor's handler of (tick, uint64_t): whoever has not answered by now is left out.
  void give_up(uint64_t question) const;

private:
  app_actor* self_;
  metrics_ptr books_;
  std::shared_ptr<instance_metrics> instances_;
  uint64_t last_ = 0;
  std::map<uint64_t, caf::typed_response_promise<http_response>> waiting_;
};

} // namespace caf_app

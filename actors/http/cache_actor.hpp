// What belongs to the caches of a process: the stores there are, and an actor that carries out
// purges, which come to all instances of all nodes through the group "http.cache":
//   caf-ctl publish http.cache '{"purge": {"url" | "prefix" | "tag": "..."}}'
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <caf/actor.hpp>
#include <caf/behavior.hpp>
#include <caf/expected.hpp>

#include "actors/http/cache_store.hpp"
#include "caf_app/base/log.hpp"
#include "caf_app/base/metrics.hpp"
#include "caf_app/registry/named_actor.hpp"

namespace caf_app::http {

/// Where purges are published; every instance that has caches is a member.
inline constexpr const char* cache_group = "http.cache";

/// Any thread.
class cache_keeper {
public:
  explicit cache_keeper(metrics& registry) : books_(registry) {}

  /// A store with these limits: the last one, as long as they stay.
  std::shared_ptr<cache_store> store(const cache_limits& limits);

  /// In all stores that somebody uses. @returns how many responses
  size_t purge(const cache_purge& what);

  /// Who else has to hear of purges that come to this process: its instances. @param to any thread,
  /// must not block
  void pass_on_to(std::function<void(const std::string& json)> to);

  /// Tells them. @param json of one line
  void pass_on(const std::string& json) const;

  /// The actor below which refreshes run; null while there is none.
  caf::actor guardian() const;
  void set_guardian(caf::actor guardian);

private:
  cache_books books_;
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<cache_store>> stores_; // newest last
  std::shared_ptr<cache_store> last_;
  caf::actor_addr guardian_;
  std::function<void(const std::string&)> others_;
};

/// Reads {"purge": {KIND: TEXT}}. @returns errc::invalid_argument saying what was expected
caf::expected<cache_purge> parse_purge_request(const std::string& json);

/// Purges on json_request and answers with {"purged": number}; what is no purge is logged, too.
/// Ends without harm: purges of that time are lost, so its supervisor starts it at once.
caf::behavior cache_actor(named_actor<"http.cache">* self, std::shared_ptr<cache_keeper> keeper,
                          logger_ptr log);

} // namespace caf_app::http

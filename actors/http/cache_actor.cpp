#include "actors/http/cache_actor.hpp"

#include <array>

#include <boost/json.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::http {

namespace json = boost::json;

std::shared_ptr<cache_store> cache_keeper::store(const cache_limits& limits) {
  const std::lock_guard guard{mutex_};
  if (last_ && last_->limits() == limits)
    return last_;
  last_ = std::make_shared<cache_store>(limits, books_);
  std::erase_if(stores_, [](const auto& each) { return each.expired(); });
  stores_.push_back(last_);
  return last_;
}

size_t cache_keeper::purge(const cache_purge& what) {
  std::vector<std::weak_ptr<cache_store>> stores;
  {
    const std::lock_guard guard{mutex_};
    stores = stores_;
  }
  size_t count = 0;
  for (const auto& each : stores)
    if (const auto store = each.lock())
      count += store->purge(what);
  return count;
}

void cache_keeper::pass_on_to(std::function<void(const std::string&)> to) {
  const std::lock_guard guard{mutex_};
  others_ = std::move(to);
}

void cache_keeper::pass_on(const std::string& json) const {
  std::function<void(const std::string&)> others;
  {
    const std::lock_guard guard{mutex_};
    others = others_;
  }
  if (others)
    others(json);
}

caf::actor cache_keeper::guardian() const {
  const std::lock_guard guard{mutex_};
  return caf::actor_cast<caf::actor>(guardian_);
}

void cache_keeper::set_guardian(caf::actor guardian) {
  const std::lock_guard guard_lock{mutex_};
  guardian_ = caf::actor_cast<caf::actor_addr>(guardian);
}

caf::expected<cache_purge> parse_purge_request(const std::string& text) {
  const auto bad = [](const std::string& found) {
    return caf::make_error(errc::invalid_argument,
                           found + ", expected {\"purge\": {\"url\": U}}, {\"purge\": {\"prefix\": "
                                   "P}} or {\"purge\": {\"tag\": T}}");
  };
  json::error_code failed;
  const auto value = json::parse(text, failed);
  const auto* object = failed ? nullptr : value.if_object();
  const auto* purge = object ? object->if_contains("purge") : nullptr;
  if (!purge || !purge->is_object() || purge->as_object().size() != 1 || object->size() != 1)
    return bad("this is no purge");
  const auto& member = *purge->as_object().begin();
  using kind = cache_purge::kind;
  constexpr std::array<std::pair<std::string_view, kind>, 3> kinds{
      {{"url", kind::url}, {"prefix", kind::prefix}, {"tag", kind::tag}}};
  for (const auto& [name, what] : kinds) {
    if (std::string_view{member.key()} != name)
      continue;
    const auto* wanted = member.value().if_string();
    auto parsed = wanted ? parse_purge(what, {wanted->data(), wanted->size()}) : std::nullopt;
    if (!parsed)
      return bad("this is no " + std::string{name} +
                 (what == kind::tag ? "" : " such as \"/path\" or \"http://host/path\""));
    return std::move(*parsed);
  }
  return bad("\"" + std::string{member.key()} + "\" cannot be purged");
}

caf::behavior cache_actor(named_actor<"http.cache">* self, std::shared_ptr<cache_keeper> keeper,
                          logger_ptr log) {
  keeper->set_guardian(self);
  return {[self, keeper, log](const json_request& request) -> caf::result<json_reply> {
    auto what = parse_purge_request(request.params);
    if (!what) { // who publishes gets no answer
      log->warning(speaker_of(self), "purge refused", {{"reason", describe(what.error())}});
      return std::move(what.error());
    }
    const auto count = keeper->purge(*what);
    keeper->pass_on(json::serialize(json::parse(request.params)));
    return json_reply{json::serialize(json::object{{"purged", count}})};
  }};
}

} // namespace caf_app::http

#include "actors/http/cache_handler.hpp"

#include "actors/http/cache_answer.hpp"
#include "actors/http/cache_refresh_actor.hpp"
#include "actors/http/cache_task_handler.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

namespace {

bool reads(const request_view& request) {
  return (request.method == method::get || request.method == method::head) && !request.has_body &&
         !request.fields->has(known_field::upgrade);
}

forward_reason reason_for(const cache_store::found& found, const cache_request& wish,
                          steady::time_point now) {
  if (found.entry)
    return found.entry->is_fresh(now) || wish.control.no_cache ? forward_reason::request
                                                               : forward_reason::stale;
  return found.has_others ? forward_reason::vary_miss : forward_reason::uri_miss;
}

// A part of what is not stored is not worth the whole, and HEAD has no content to store.
bool passes(const cache_store::found& found, const cache_request& wish) {
  return wish.method != method::get || wish.control.no_store || wish.is_for_origin ||
         (wish.has_range && !found.entry);
}

void note(exchange& open, const cache_service& service, cache_result how) {
  service.counters.answered(how);
  open.note_cache(to_string(how));
}

void answer(exchange& open, const cache_entry& entry, const cache_request& wish,
            const cache_service& service) {
  auto& context = open.context();
  cache_status status;
  status.ttl = entry.lifetime - entry.age(context.now);
  note(open, service, entry.is_fresh(context.now) ? cache_result::hit : cache_result::stale);
  answer_with(open, entry, wish.method, *open.request().fields, status, context.now,
              context.date_seconds());
}

} // namespace

std::unique_ptr<exchange_task> cache_handler::start(exchange& open) const {
  auto& context = open.context();
  const auto& request = open.request();
  const auto wish = read_cache_request(request.method, *request.fields);
  auto& key = context.key_scratch;
  key.clear();
  append_cache_key(key, request);
  const auto begin = [&](auto step) -> std::unique_ptr<exchange_task> {
    auto task = std::make_unique<cache_task>(*this, open, wish, key);
    if (!step(*task))
      return nullptr;
    return task;
  };
  if (!reads(request)) {
    const auto why = is_safe(request.method) ? forward_reason::bypass : forward_reason::method;
    return begin([&](cache_task& task) { return task.pass(why); });
  }
  const auto found =
      wish.is_for_origin ? cache_store::found{} : service_->store->find(key, *request.fields);
  if (found.entry) {
    const auto use = use_of(*found.entry, wish, service_->rules, context.now);
    if (use == cache_use::refresh)
      begin_refresh(*this, open, key, found.entry);
    if (use != cache_use::revalidate) {
      answer(open, *found.entry, wish, *service_);
      return nullptr;
    }
  }
  if (wish.control.only_if_cached) {
    note(open, *service_, cache_result::miss);
    open.respond_status(504); // RFC 9111 §5.2.1.7
    return nullptr;
  }
  const auto why = reason_for(found, wish, context.now);
  if (passes(found, wish))
    return begin([&](cache_task& task) {
      return task.pass(wish.control.no_store || wish.is_for_origin ? forward_reason::bypass
                       : wish.has_range && !found.entry            ? forward_reason::partial
                                                                   : why);
    });
  return begin([&](cache_task& task) { return task.fetch(found.entry, why); });
}

} // namespace caf_app::http

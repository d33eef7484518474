#include "caf_app/registry/registry_actor.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <boost/json.hpp>

#include <caf/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/messages/json.hpp"
#include "caf_app/messages/registry.hpp"

namespace caf_app {

namespace {

namespace json = boost::json;

using json_result = caf::expected<json::value>;

/// The text under `key`, or "" if there is none.
std::string text_of(const json::value& params, std::string_view key) {
  if (const auto* object = params.if_object())
    if (const auto* value = object->if_contains(key); value && value->is_string())
      return std::string{value->get_string()};
  return {};
}

json_result names_of(const registry& table, app_actor* self, const json::value& params) {
  json::array result;
  for (const auto& x : table.names(text_of(params, "prefix"), self->clock().now()))
    result.push_back({{"name", x.name}, {"holder", x.holder}, {"held_ms", x.held_ms}});
  return json::value(std::move(result));
}

json_result holder_of(const registry& table, const json::value& params) {
  const auto name = text_of(params, "name");
  const auto holder = table.where_is(name);
  if (!holder)
    return caf::make_error(errc::not_found, "no actor is named \"" + name + "\"");
  return json::value{{"holder", holder.id()}};
}

json_result groups_of(const registry& table, const json::value& params) {
  json::array result;
  for (const auto& x : table.groups(text_of(params, "prefix")))
    result.push_back({{"group", x.group}, {"members", json::value_from(x.members)}});
  return json::value(std::move(result));
}

json_result answer(const registry& table, app_actor* self, const json_request& request) {
  json::error_code failure;
  const auto params = json::parse(request.params, failure);
  if (failure)
    return caf::make_error(errc::invalid_argument, "params are no JSON: " + failure.message());
  if (request.method == "names")
    return names_of(table, self, params);
  if (request.method == "where_is")
    return holder_of(table, params);
  if (request.method == "groups")
    return groups_of(table, params);
  return caf::make_error(errc::not_found,
                         "method \"" + request.method + "\"; there are names, where_is, groups");
}

} // namespace

caf::behavior registry_actor(named_actor<"registry">* self, std::shared_ptr<registry> table) {
  return {
      [=](const names_query& query) {
        return name_list{table->names(query.prefix, self->clock().now())};
      },
      [=](const groups_query& query) { return group_list{table->groups(query.prefix)}; },
      [=](const json_request& request) -> caf::result<json_reply> {
        auto value = answer(*table, self, request);
        if (!value)
          return std::move(value.error());
        return json_reply{json::serialize(*value)};
      },
  };
}

} // namespace caf_app

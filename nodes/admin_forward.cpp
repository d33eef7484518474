#include "nodes/admin_forward.hpp"

#include "caf_app/base/error.hpp"
#include "nodes/admin_json.hpp"

namespace caf_app {

namespace {

using reply = caf::typed_response_promise<http_response>;

constexpr std::chrono::seconds forward_time{65}; // above every timeout behind it
constexpr std::string_view query_key = "node=";

http_response no_answer(uint16_t status, const std::string& text, std::string_view code) {
  return {status, {{"content-type", "application/json"}}, error_json(text, code)};
}

http_response unreachable(const std::string& node, const caf::error& why) {
  return no_answer(503, "node \"" + node + "\": " + describe(why), "unreachable");
}

} // namespace

std::string door_name(const std::string& node) { return "control." + node; }

std::string wanted_node(const http_request& request) {
  return request.query.starts_with(query_key) ? request.query.substr(query_key.size())
                                              : std::string{};
}

caf::result<http_response> forward_request(app_actor* self, const registry& names,
                                           const std::string& node, http_request request) {
  const auto door = names.where_is(door_name(node));
  if (!door)
    return no_answer(404, "no node \"" + node + "\" is within reach", "unreachable");
  request.query.clear();
  auto promise = self->make_response_promise<reply>();
  self->ask(door, forward_time, std::move(request))
      .then([promise](http_response& answer) mutable { promise.deliver(std::move(answer)); },
            [promise, node = std::make_unique<std::string>(node)](caf::error& why) mutable {
              promise.deliver(unreachable(*node, why));
            });
  return promise;
}

caf::behavior admin_door(named_actor<"admin.door">* self, std::shared_ptr<const registry> names,
                         std::string admin) {
  return {[self, names = std::move(names),
           admin = std::move(admin)](http_request& request) -> caf::result<caf::message> {
            const auto target = names->where_is(admin);
            if (!target)
              return caf::make_message(no_answer(503, "the admin actor restarts", "unreachable"));
            request.peer = "unix:"; // who may ask was decided on the other node
            request.query.clear();  // no further
            return self->delegate(target, std::move(request)); // delegated<message>
          },
          [](const http_cancel&) {}};
}

} // namespace caf_app

#include "caf_app/cluster/resolver_actor.hpp"

#include <netdb.h>

#include <cstring>
#include <memory>

#include "caf_app/base/address.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/loop/socket_address.hpp"
#include "caf_app/registry/harden.hpp"

namespace caf_app {

caf::expected<std::string> resolve_address(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos)
    return caf::make_error(errc::invalid_argument, "\"" + text + "\" has no port");
  const auto host = text.substr(0, colon);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_ADDRCONFIG | AI_NUMERICSERV;
  addrinfo* raw = nullptr;
  const auto failed = ::getaddrinfo(host.c_str(), text.c_str() + colon + 1, &hints, &raw);
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> found{raw, ::freeaddrinfo};
  if (failed != 0 || raw == nullptr)
    return caf::make_error(errc::io_failed,
                           "getaddrinfo \"" + host + "\": " + ::gai_strerror(failed));
  socket_address address;
  std::memcpy(&address.storage, raw->ai_addr, raw->ai_addrlen);
  address.size = raw->ai_addrlen;
  return to_string(address);
}

namespace {

/// Answers one text and ends.
caf::behavior look_up(named_actor<"resolver.lookup", caf::event_based_actor>* self) {
  harden(self);
  return {[self](const std::string& text) -> caf::result<std::string> {
    self->quit();
    auto address = resolve_address(text);
    if (!address)
      return std::move(address.error());
    return std::move(*address);
  }};
}

} // namespace

caf::behavior resolver_actor(named_actor<"resolver", caf::event_based_actor>* self) {
  harden(self);
  return {[self](const std::string& text) {
    auto promise = self->make_response_promise();
    promise.delegate(self->spawn<caf::detached>(look_up), text);
    return promise;
  }};
}

child_spec resolver_child(std::shared_ptr<caf::actor> resolver) {
  child_spec result;
  result.id = "resolver";
  result.start =
      [resolver = std::move(resolver)](const start_context& start) -> caf::expected<caf::actor> {
    *resolver = start.system.spawn(resolver_actor);
    return *resolver;
  };
  return result;
}

} // namespace caf_app

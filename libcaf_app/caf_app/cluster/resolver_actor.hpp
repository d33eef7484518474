// Names of hosts to addresses, each on a thread of its own: getaddrinfo blocks for as long as it
// likes, and a name server that is silent for one host must not keep others waiting.
#pragma once

#include <memory>
#include <string>

#include <caf/all.hpp>

#include "caf_app/registry/named_actor.hpp"
#include "caf_app/supervision/child_spec.hpp"

namespace caf_app {

/// Blocks.
/// @param text "host:port"
/// @returns the first address of it, as parse_socket_address() reads it; errc::io_failed with what
/// the resolver said
caf::expected<std::string> resolve_address(const std::string& text);

/// Answers a text as resolve_address() does, when getaddrinfo() has come back. Whoever asks has a
/// deadline of its own.
caf::behavior resolver_actor(named_actor<"resolver", caf::event_based_actor>* self);

/// A supervised resolver. Each life of it is written to `*resolver`; who keeps that handle has to
/// be started after it and with it (restart_strategy::rest_for_one).
child_spec resolver_child(std::shared_ptr<caf::actor> resolver);

} // namespace caf_app

// One node's admin interface through another's: `?node=NAME` on any request. Who may use the first
// is asked there; between nodes the cluster's own proof counts, and nothing but whole requests of
// this interface passes.
#pragma once

#include <memory>
#include <string>

#include "caf_app/messages/http.hpp"
#include "caf_app/registry/named_actor.hpp"
#include "caf_app/registry/registry.hpp"

namespace caf_app {

/// The cluster name of a node's door.
std::string door_name(const std::string& node);

/// @returns the node that a request is for; empty: the one that got it
std::string wanted_node(const http_request& request);

/// Answers with what the node's admin interface says; 404 if it is out of reach, 503 if it does not
/// answer within 65 s.
caf::result<http_response> forward_request(app_actor* self, const registry& names,
                                           const std::string& node, http_request request);

/// Hands requests from other nodes to the admin actor of this one, whose name is `admin`, as if
/// they had come over the control socket: they are not asked for a token, nor handed on further.
caf::behavior admin_door(named_actor<"admin.door">* self, std::shared_ptr<const registry> names,
                         std::string admin);

} // namespace caf_app

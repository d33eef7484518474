// How others talk to the evaluator.
//
//   anybody --eval_request--> front (the name `eval` on every node that can reach an evaluator)
//   anybody --eval_call--> front, or a dispatcher (`eval.<node>`, group `eval`)
//
// eval_request is the evaluator's API as HTTP shows it, whatever carried it; eval_call is one call
// of a function or graph, taken apart. Both are answered with eval_reply.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <caf/meta/type_name.hpp>

#include "caf_app/messages/http.hpp"

namespace caf_app {

/// One request of the API. The path is below the mount: "/builds/ID".
struct eval_request {
  uint64_t id = 0; ///< unique for its sender; eval_cancel repeats it
  std::string method;
  std::string path;
  std::string query;           ///< raw, without '?'
  std::string content_type;    ///< empty: none
  std::string token;           ///< bearer token; empty: none
  std::string request_timeout; ///< the field Request-Timeout as sent; empty: none
  std::string body;
  uint32_t deadline_ms = 0; ///< time that the carrier has for the answer
};

/// The answer: a JSON text unless `content_type` says otherwise.
struct eval_reply {
  uint16_t status = 200;
  std::string content_type = "application/json";
  std::vector<http_field> fields;
  std::string body;
  bool more = false; ///< of a log: it may grow; ask again from the byte after this
};

/// The sender does not want the answer to `id` any more. No reply.
struct eval_cancel {
  uint64_t id = 0;
};

/// One call of a function or a graph of a ready build.
struct eval_call {
  uint64_t id = 0; ///< unique for its sender; eval_cancel repeats it
  std::string build;
  std::string kind;       ///< "function" or "graph"
  std::string entry;      ///< dotted name
  std::string tenant;     ///< whose share of the evaluator this takes: an organisation
  std::string visible_to; ///< only builds of this organisation; empty: all
  std::string user;       ///< of the binding; empty: none
  std::string graph_id;
  std::string identity;             ///< the binding as JSON, "null" for none
  std::vector<std::string> effects; ///< granted by the policy, lower case
  std::vector<std::string> domains; ///< hosts that the effect `http` may reach, lower case
  std::string body;                 ///< the request as the client wrote it
  uint32_t deadline_ms = 0;         ///< time left
};

/// From a dispatcher to the front of another node: a worker has the call now. No reply.
struct eval_started {
  uint64_t id = 0; ///< of the call
};

/// An eval node asks another for a driver. Answered with eval_artefact_chunk.
struct eval_artefact_request {
  std::string build;
  uint64_t offset = 0;
};

/// A piece of a driver; without bytes if the node does not have it.
struct eval_artefact_chunk {
  std::string record; ///< of the build, as the store keeps it; with the first piece
  std::string sha256; ///< of the whole driver; with the first piece
  uint64_t total = 0; ///< bytes of the whole driver
  uint64_t offset = 0;
  std::string bytes;
};

/// What a dispatcher is asked about builds: one operation of the API.
struct eval_build_request {
  uint64_t id = 0;
  std::string operation;    ///< "post", "list", "get", "log", "delete"
  std::string build;        ///< for all but post and list
  std::string organisation; ///< whose builds are visible; empty: all
  std::string body;         ///< of post
  uint32_t wait_ms = 0;     ///< how long a post may wait for the end of its build, a log for growth
  uint64_t offset = 0;      ///< of a log: where to begin
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_request& x) {
  return f(caf::meta::type_name("eval_request"), x.id, x.method, x.path, x.query, x.content_type,
           x.token, x.request_timeout, x.body, x.deadline_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_reply& x) {
  return f(caf::meta::type_name("eval_reply"), x.status, x.content_type, x.fields, x.body, x.more);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_cancel& x) {
  return f(caf::meta::type_name("eval_cancel"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_call& x) {
  return f(caf::meta::type_name("eval_call"), x.id, x.build, x.kind, x.entry, x.tenant,
           x.visible_to, x.user, x.graph_id, x.identity, x.effects, x.domains, x.body,
           x.deadline_ms);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_started& x) {
  return f(caf::meta::type_name("eval_started"), x.id);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_artefact_request& x) {
  return f(caf::meta::type_name("eval_artefact_request"), x.build, x.offset);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_artefact_chunk& x) {
  return f(caf::meta::type_name("eval_artefact_chunk"), x.record, x.sha256, x.total, x.offset,
           x.bytes);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, eval_build_request& x) {
  return f(caf::meta::type_name("eval_build_request"), x.id, x.operation, x.build, x.organisation,
           x.body, x.wait_ms, x.offset);
}

} // namespace caf_app

#include "actors/http/h1_session_log.hpp"

#include "actors/http/log_line.hpp"

namespace caf_app::http {

h1_session::log_facts h1_session::log_facts::of(const h1_request& head, std::string_view peer,
                                                const loop_context& context, uint64_t id) {
  const auto& fields = head.fields;
  const auto& trusted = context.table->config().trusted_proxies;
  const auto client = trusted.empty() ? std::string{} : client_address(peer, fields, trusted);
  return {std::string{head.method_text},
          std::string{head.target},
          std::string{head.host},
          std::string{fields.first(known_field::referer)},
          std::string{fields.first(known_field::user_agent)},
          client == without_port(peer) ? std::string{} : client,
          http::request_id(peer, fields, trusted, context.seed, id),
          {},
          {}};
}

void h1_session::log(uint16_t status, uint64_t body_bytes, std::string_view abort) {
  const auto facts = std::exchange(log_facts_, nullptr);
  access_record record;
  record.peer = facts->client.empty() ? peer() : facts->client;
  record.request_id = facts->request_id;
  record.method = facts->method;
  record.target = facts->target;
  if (!facts->method.empty()) // else the head was none
    record.version = minor_version_ == 0 ? "HTTP/1.0" : "HTTP/1.1";
  record.status = status;
  record.sent = body_bytes;
  record.received = received_;
  record.referer = facts->referer;
  record.user_agent = facts->user_agent;
  record.host = facts->host;
  record.upstream = facts->upstream;
  record.cache = facts->cache;
  record.tls = transport_.tls_version();
  record.abort = abort;
  context_.log_request(record, route_, began_);
}

} // namespace caf_app::http

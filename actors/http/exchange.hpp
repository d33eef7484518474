// One request and its response, whichever protocol carried it. A handler is written against
// `exchange` and serves HTTP/1 and HTTP/2 alike; the connection implements it.
//
//   route_handler::start(exchange) --answers at once--> nothing is kept
//                                  `--exchange_task--> on_body()* on_body_end() ... answer
//
// A task that is destroyed before the exchange was answered has been cancelled: the client is gone,
// or the connection was killed. Everything here runs on the connection's loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "actors/http/field_list.hpp"
#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"

namespace caf_app::http {

class fixed_response;
struct route_entry;
struct loop_context;
class connection_base;

/// The request as a handler sees it. Views are valid while route_handler::start() runs.
struct request_view {
  http::method method = http::method::get;
  std::string_view method_text; ///< as sent
  std::string_view target;      ///< as sent
  std::string_view path;        ///< normalised
  std::string_view below;       ///< what of the path is below the route: empty or begins with '/'
  std::string_view query;       ///< raw, without '?'
  std::string_view host;        ///< lower case, may be empty in HTTP/1.0
  const field_list* fields = nullptr;
  bool has_body = false;
  std::optional<uint64_t> content_length; ///< if announced
};

/// A whole response. Views must stay valid for the call only.
struct response {
  uint16_t status = 200;
  std::string_view content_type; ///< empty: no field
  std::span<const field>
      fields; ///< further fields; those of connection and length are the server's
  std::string_view body;
};

/// What a handler keeps while its request is open.
class exchange_task {
public:
  virtual ~exchange_task() = default;

  /// A part of the content, decoded of its framing.
  virtual void on_body(std::span<const char> bytes) = 0;

  /// The content is whole. Called once, also if there was none.
  virtual void on_body_end() = 0;
};

class exchange {
public:
  virtual const request_view& request() const = 0;
  virtual const route_entry& route() const = 0;
  virtual loop_context& context() = 0;

  /// The connection's actor, for handlers that ask others; null in tests without actors.
  virtual connection_base* owner() = 0;

  /// Unique on this loop, never reused: asynchronous answers find out by it whether they are still
  /// wanted.
  virtual uint64_t id() const = 0;

  /// "address:port" of the client.
  virtual std::string_view peer() const = 0;

  // Exactly one of these ends the exchange. Content that has not arrived yet is read away.
  virtual void respond(const response& answer) = 0;
  virtual void respond(const fixed_response& answer) = 0;

  /// Refuses with the status of the table, counted under its reason.
  virtual void refuse(fault why, std::span<const field> fields = {}) = 0;

  /// A short text/plain answer that is no refusal of bad input, for example 502.
  virtual void respond_status(uint16_t status, std::span<const field> fields = {}) = 0;

protected:
  ~exchange() = default;
};

/// Answers the requests of one route. Shared by all connections of a loop, immutable.
class route_handler {
public:
  virtual ~route_handler() = default;

  /// Begins to answer. @returns null if it has answered already, else what takes the content and
  /// answers later
  virtual std::unique_ptr<exchange_task> start(exchange& open) const = 0;
};

} // namespace caf_app::http

// One request and its response, whichever protocol carried it. A handler is written against
// `exchange` and serves HTTP/1 and HTTP/2 alike; the connection implements it.
//
//   route_handler::start(exchange) --answers at once--> nothing is kept
//                                  `--exchange_task--> on_body()* on_body_end() ... answer
//
// An answer is whole (respond, refuse), or it is streamed: begin() write()* finish(), where the
// task stops writing while has_room() is false and goes on with on_room().
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
#include <vector>

#include "actors/http/field_list.hpp"
#include "actors/http/method.hpp"
#include "actors/http/rejection.hpp"

namespace caf_app {

class shared_file;
using shared_file_ptr = std::shared_ptr<const shared_file>;

} // namespace caf_app

namespace caf_app::http {

class fixed_response;
struct owned_field;
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
  std::optional<uint16_t> port = {};      ///< behind `host`, if one was written
  std::string_view version = "1.1";       ///< of the protocol: "1.0", "1.1", "2"
  std::string_view scheme = "http";       ///< "https" if the client came by TLS
  bool awaits_invitation = false;         ///< Expect: 100-continue, and content to come
};

/// Whose words a response repeats.
enum class response_source : uint8_t {
  own,    ///< Date and Server are added
  origin, ///< an upstream's: Date and Server are among the fields, if it sent them
};

/// A whole response. Views must stay valid for the call only.
struct response {
  uint16_t status = 200;
  std::string_view content_type; ///< empty: no field
  std::span<const field>
      fields; ///< further fields; those of connection and length are the server's
  std::string_view body;
  response_source source = response_source::own;
};

/// A piece of content: bytes, then a part of an open file that is read when it is sent.
struct content_part {
  std::string bytes;
  shared_file_ptr file; ///< null: none
  uint64_t offset = 0;  ///< bytes into the file
  uint64_t length = 0;  ///< bytes of the part of the file
};

/// What a handler keeps while its request is open.
class exchange_task {
public:
  virtual ~exchange_task() = default;

  /// A part of the content, decoded of its framing.
  virtual void on_body(std::span<const char> bytes) = 0;

  /// The content is whole. Called once, also if there was none.
  virtual void on_body_end() = 0;

  /// Trailers that may be passed on (RFC 9110 §6.5.1), before on_body_end() if there are any.
  virtual void on_trailers(std::span<const owned_field>) {}

  /// After write() had filled the buffer of a streamed response: it is empty again.
  virtual void on_room() {}

  /// Asked once, after start(): whether a client that waits for an invitation (100) to send its
  /// content gets it now. Else the task calls exchange::invite(), or answers without.
  virtual bool invites() const { return true; }

  /// Asked when the client has gone, before the task is destroyed: whether work goes on elsewhere
  /// whose end with_open() will tell, although nobody wants its answer any more. HTTP/2 counts such
  /// requests as open.
  virtual bool works_on() const { return false; }
};

/// What a handler has of its request, and where it answers.
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

  // Exactly one of these ends the exchange, or begins a response that is streamed. Content that has
  // not arrived yet is read away.
  virtual void respond(const response& answer) = 0;
  virtual void respond(const fixed_response& answer) = 0;

  /// Refuses with the status of the table, counted under its reason.
  virtual void refuse(fault why, std::span<const field> fields = {}) = 0;

  /// A short text/plain answer that is no refusal of bad input, for example 502.
  virtual void respond_status(uint16_t status, std::span<const field> fields = {}) = 0;

  /// Answers with content in parts; `head.body` is not used. A file that turns out shorter than
  /// promised cuts the response.
  virtual void respond(const response& head, std::vector<content_part> content) = 0;

  /// Begins a response whose content is `head.body` and what follows by write().
  /// @param length of the content if it is known; what does not keep to it is cut
  virtual void begin(const response& head, std::optional<uint64_t> length) = 0;

  // -- after begin() only. The exchange stays open, and the content of the request goes on to
  // arrive, until the response is finished or aborted.

  /// Sends content. All of it is taken, so ask has_room() first.
  virtual void write(std::string_view bytes) = 0;

  /// Whether less than limits::http::direction_buffer_bytes wait for the client.
  virtual bool has_room() const = 0;

  /// The content is whole. Trailers go to clients whose framing has a place for them.
  virtual void finish(std::span<const field> trailers = {}) = 0;

  /// The content cannot be completed: the client is made to see that.
  virtual void abort() = 0;

  // -- while the exchange is open

  /// Sends an interim response such as 103, if the client can read it.
  virtual void inform(uint16_t status, std::span<const field> fields) = 0;

  /// Sends 100 if the client waits for it and has not got it yet.
  virtual void invite() = 0;

  /// Answers 101 with these fields and Connection: Upgrade. From here on both directions are bytes
  /// without framing: on_body() and write(), until finish(), abort(), or on_body_end(), which tells
  /// that the client sends no more. Only for requests of HTTP/1.1 without content.
  virtual void tunnel(std::span<const field> fields) = 0;

  /// For the access log: how long an upstream took until its response began.
  virtual void note_upstream(std::chrono::microseconds waited) = 0;

  /// For the access log: what a cache made of the request, as a literal: "hit", "miss", ...
  virtual void note_cache(std::string_view how) = 0;

  /// No on_body() until resume_content(): the client meets back-pressure. Not from within on_body()
  /// of the last piece on: that one is taken already.
  virtual void pause_content() = 0;
  virtual void resume_content() = 0;

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

  /// What the server answers in the name of this route when it refuses a request itself, for
  /// example one that is too large.
  /// @returns a JSON text; empty: the status as plain text will do
  virtual std::string refusal_json(uint16_t) const { return {}; }
};

} // namespace caf_app::http

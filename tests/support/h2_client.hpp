// A session with an owner that answers, and a client made of raw frames: what an HTTP/2 suite talks
// to. Time stands still unless a test moves it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "actors/http/h2_session.hpp"
#include "support/h2_frames.hpp"

/// What the owner does with requests.
enum class h2_owner {
  answers, ///< 200 "ok" once the request is whole; 400 for those with a fault; releases everything
  early,   ///< answers at once, before the content
  silent,  ///< only notes; the test acts
};

class h2_client {
public:
  using session_type = caf_app::http::h2_session;

  /// @param first is sent at once, and what came back is forgotten
  explicit h2_client(h2_owner owner = h2_owner::answers,
                     const caf_app::http::h2_options& options = {}, std::string_view first = {})
      : session(options, now), owner_(owner) {
    if (!first.empty()) {
      send(first);
      wire.clear();
    }
  }

  /// Sends bytes in slices of at most `slice`, serves events, collects output.
  void send(std::string_view bytes, size_t slice = std::string::npos) {
    while (!bytes.empty()) {
      const std::string part{bytes.substr(0, slice)}; // its own memory, gone afterwards
      bytes.remove_prefix(part.size());
      session.receive(part, now);
      pump();
    }
  }

  /// Lets the session send what it can.
  void pump() {
    for (auto more = true; more;) {
      more = serve();
      const auto output = session.pending_output(now);
      more = more || !output.empty();
      wire.append(output);
      session.sent(output.size());
    }
  }

  void advance(std::chrono::milliseconds duration) {
    now += duration;
    if (const auto deadline = session.deadline(); deadline && *deadline <= now)
      session.expire(now);
    pump();
  }

  /// Frames since the last call.
  std::vector<h2::received> frames() { return h2::take_frames(wire); }

  /// What matters of the output since the last call: "1:200 3:rst(CANCEL) pong goaway(NO_ERROR)".
  std::string summary() {
    std::string result;
    for (const auto& each : frames()) {
      const auto stream = std::to_string(each.stream) + ':';
      if (each.type == h2::headers)
        result += stream + std::to_string(h2::status_of(each.payload)) + ' ';
      else if (each.type == h2::rst_stream)
        result += stream + "rst(" + h2::code_name(h2::number(each.payload)) + ") ";
      else if (each.type == h2::goaway)
        result += "goaway(" + h2::code_name(h2::number(each.payload.substr(4, 4))) + ") ";
      else if (each.type == h2::ping && (each.flags & h2::ack))
        result += "pong ";
    }
    if (session.closing())
      result += "closing ";
    if (!result.empty())
      result.pop_back();
    return result;
  }

  caf_app::steady::time_point now{std::chrono::hours{1}};
  session_type session;
  std::string wire; ///< output that no test has looked at
  std::string log;  ///< events: "request 1 GET /; data 1 abc; end 1; "

private:
  using event = caf_app::http::h2_event;

  bool serve() {
    std::vector<event> events;
    session.take_events(events);
    for (auto& each : events)
      serve(each);
    return !events.empty();
  }

  void serve(event& each) {
    const auto id = std::to_string(each.stream);
    switch (each.what) {
      case event::kind::request:
        log += "request " + id + ' ' + std::string{each.request->method_text} + ' ' +
               std::string{each.request->target} + "; ";
        if (owner_ != h2_owner::silent && each.request->error != caf_app::http::fault::none)
          answer(each.stream, 400);
        else if (owner_ == h2_owner::early)
          answer(each.stream, 200);
        break;
      case event::kind::data:
        log += "data " + id + ' ' + std::string{each.data} + "; ";
        if (owner_ == h2_owner::answers)
          session.consumed(each.stream, each.data.size());
        break;
      case event::kind::trailers:
        log += "trailers " + id;
        for (const auto& [name, value] : each.trailers)
          log += ' ' + name + '=' + value;
        log += "; ";
        break;
      case event::kind::end:
        log += "end " + id + "; ";
        if (owner_ == h2_owner::answers)
          answer(each.stream, 200);
        break;
      case event::kind::writable: log += "writable " + id + "; "; break;
      case event::kind::done: log += "done " + id + "; "; break;
      case event::kind::reset:
        log += "reset " + id + ' ' + h2::code_name(static_cast<uint32_t>(each.code)) + "; ";
        if (owner_ != h2_owner::silent)
          session.release(each.stream);
        break;
    }
  }

  void answer(int32_t id, uint16_t status) {
    if (!answered_.insert(id).second)
      return;
    caf_app::http::h2_response_head head;
    head.status = status;
    head.content_length = 2;
    session.respond(id, head, caf_app::http::h2_content::follows);
    session.write(id, "ok");
    session.finish(id);
    session.release(id);
  }

  h2_owner owner_;
  std::set<int32_t> answered_;
};

// An h2_connection without a socket: the handlers, clock and books of a session_world, and a client
// made of frames.
#pragma once

#include "actors/http/h2_connection.hpp"
#include "support/h2_frames.hpp"
#include "support/http/h1_session_fixture.hpp"

namespace caf_app::http {

class h2_world : public session_world {
public:
  explicit h2_world(const http_config& config = scripted_config()) : session_world(config) {
    open();
    send(h2::hello());
    frames();
  }

  ~h2_world() {
    if (!far.over)
      connection->on_lost(close_reason::crashed);
    connection->release();
  }

  /// A new connection that has said nothing.
  void open() {
    if (connection)
      connection->release();
    far = {};
    connection = std::make_unique<h2_connection>(context, listener, far);
  }

  /// Bytes as the socket would hand them over, in memory of their own.
  void send(std::string_view bytes, size_t slice = std::string::npos) {
    while (!bytes.empty() && !far.over) {
      const auto part = bytes.substr(0, slice);
      const std::vector<char> copy(part.begin(), part.end());
      bytes.remove_prefix(part.size());
      connection->on_data(copy);
    }
  }

  static h2::lines head(const std::string& method, const std::string& target,
                        const h2::lines& more = {}) {
    h2::lines result{
        {":method", method}, {":scheme", "http"}, {":path", target}, {":authority", "a"}};
    result.insert(result.end(), more.begin(), more.end());
    return result;
  }

  void get(uint32_t stream, const std::string& target) {
    send(h2::section(stream, head("GET", target), h2::end_stream));
  }

  /// A request whose content follows.
  void post(uint32_t stream, const std::string& target, const h2::lines& more = {}) {
    send(h2::section(stream, head("POST", target, more), h2::none));
  }

  std::vector<h2::received> frames() { return h2::take_frames(far.output); }

  /// "1:200 1:[Hello] 3:rst(CANCEL) goaway(NO_ERROR)" of what was sent since the last call.
  std::string summary() {
    std::string result;
    for (const auto& each : frames()) {
      const auto stream = std::to_string(each.stream) + ':';
      if (each.type == h2::headers)
        result += stream + std::to_string(h2::status_of(each.payload)) + ' ';
      else if (each.type == h2::data && !each.payload.empty())
        result += stream + '[' + each.payload.substr(0, 40) + "] ";
      else if (each.type == h2::rst_stream)
        result += stream + "rst(" + h2::code_name(h2::number(each.payload)) + ") ";
      else if (each.type == h2::goaway)
        result += "goaway(" + h2::code_name(h2::number(each.payload.substr(4, 4))) + ") ";
    }
    if (!result.empty())
      result.pop_back();
    return result;
  }

  /// Calls on_deadline() as the timer would. @returns whether it was due
  bool due() {
    if (now < connection->deadline())
      return false;
    connection->on_deadline();
    return true;
  }

  /// The client's kernel takes all that waits.
  void drained() {
    far.room = ~uint64_t{0};
    far.waiting = 0;
    connection->on_drained();
  }

  void answer_later(const std::string& query, std::string_view body = "late") {
    answer(query, body);
    connection->settle();
  }

  std::string how_it_ended() const { return far.over ? std::string{to_string(*far.over)} : "open"; }

  fake_transport far;
  std::unique_ptr<h2_connection> connection;
};

} // namespace caf_app::http

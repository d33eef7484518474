// What a server says to bytes of HTTP/1, without a server: parser, body and router put together in
// the order of the connection, with one line of text per request as the answer. Rows and fuzzers
// compare those lines between slicings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/http/h1_body.hpp"
#include "actors/http/h1_request.hpp"
#include "actors/http/rejection.hpp"
#include "actors/http/router.hpp"

namespace caf_app::http {

/// Options of a dialogue.
struct h1_dialogue_options {
  h1_limits head;
  h1_body_limits body;
  uint64_t linger_bytes = 256 * 1024;
  scheme listener = scheme::http; ///< targets with the other scheme are misdirected
};

class h1_dialogue {
public:
  explicit h1_dialogue(const router& routes, h1_dialogue_options options = {})
      : routes_(routes), options_(options), parser_(options.head) {}

  /// Takes the next slice of what the client sends.
  void receive(std::span<const char> slice) {
    while (!closed_ && !(slice.empty() && !in_body_)) {
      const auto before = slice.size();
      slice = slice.subspan(in_body_ ? receive_body(slice) : receive_head(slice));
      if (slice.size() == before && in_body_)
        return; // the body needs more
    }
  }

  /// One line per answered request:
  /// "200 keep POST a /path?query [body]" or "400 close request_line".
  const std::vector<std::string>& answers() const { return answers_; }

  /// Has the connection ended?
  bool is_closed() const { return closed_; }

private:
  size_t receive_head(std::span<const char> slice) {
    const auto result = parser_.feed(slice);
    if (result.event == h1_event::error)
      refuse(parser_.error());
    else if (result.event == h1_event::head)
      on_head();
    return result.consumed;
  }

  void on_head() {
    const auto& request = parser_.request();
    const bool misdirected =
        request.parts.scheme != scheme::none && request.parts.scheme != options_.listener;
    const auto decision =
        routes_.find({request.host, request.parts.path, request.method, misdirected}, scratch_);
    auto why = decision.error;
    if (why == fault::none)
      why = check_content(request, options_.body.max_body);
    answer_.clear();
    if (why == fault::none)
      describe(decision);
    if (why != fault::none && rejection_of(why).connection != disposition::keep)
      return refuse(why);
    refused_ = why;
    parser_.keep(); // slices do not outlive receive()
    auto limits = options_.body;
    if (why != fault::none) // the content is read away
      limits.max_body = options_.linger_bytes;
    body_ = h1_body{request, limits};
    content_.clear();
    in_body_ = true;
  }

  size_t receive_body(std::span<const char> slice) {
    size_t consumed = 0;
    for (;;) {
      const auto step = body_.feed(slice.subspan(consumed));
      consumed += step.consumed;
      content_.append(step.data.data(), step.data.size());
      if (step.event == h1_body_event::need_more)
        return consumed;
      if (step.event == h1_body_event::data)
        continue;
      in_body_ = false;
      if (step.event == h1_body_event::error)
        refuse(step.error);
      else
        finish();
      return consumed;
    }
  }

  void describe(const route_decision& decision) {
    const auto& request = parser_.request();
    answer_ = decision.outcome == route_outcome::options ? "204 " : "200 ";
    answer_ += request.keep_alive ? "keep " : "close ";
    answer_.append(request.method_text).append(" ").append(request.host).append(" ");
    answer_ += request.parts.path == "*" ? std::string_view{"*"} : decision.path;
    if (request.parts.has_query)
      answer_.append("?").append(request.parts.query);
    if (request.expect == h1_expect::continue_)
      answer_ += " expects";
  }

  void finish() {
    if (refused_ != fault::none) {
      refuse(refused_);
    } else {
      if (!content_.empty())
        answer_.append(" [").append(content_).append("]");
      for (const auto& trailer : body_.trailers())
        answer_.append(" ").append(trailer.name).append("=").append(trailer.value);
      answers_.push_back(answer_);
      closed_ = !parser_.request().keep_alive;
    }
    parser_.reset();
  }

  // A refusal that would keep the connection still ends one that its client wants closed.
  void refuse(fault why) {
    const auto& row = rejection_of(why);
    closed_ = row.connection != disposition::keep || !parser_.request().keep_alive;
    const auto* connection = row.connection == disposition::cut ? " cut "
                             : closed_                          ? " close "
                                                                : " keep ";
    answers_.push_back(std::to_string(row.status) + connection + std::string{row.reason});
  }

  const router& routes_;
  h1_dialogue_options options_;
  h1_request_parser parser_;
  h1_body body_;
  bool in_body_ = false;
  bool closed_ = false;
  fault refused_ = fault::none;
  std::string scratch_;
  std::string answer_;
  std::string content_;
  std::vector<std::string> answers_;
};

} // namespace caf_app::http

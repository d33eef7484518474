// An exchange without a connection: a test fills in the request and reads what was answered.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "actors/http/fixed_response.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

class fake_exchange final : public exchange {
public:
  struct answer {
    uint16_t status = 0;
    std::string type;
    header_list fields;
    std::string body;
    fault why = fault::none;
  };

  const request_view& request() const override { return view; }
  const route_entry& route() const override { return *entry; }
  loop_context& context() override { return *loop; }
  connection_base* owner() override { return actor; }
  uint64_t id() const override { return number; }
  std::string_view peer() const override { return "192.0.2.1:4711"; }

  void respond(const response& what) override {
    if (given)
      throw std::logic_error{"answered twice"};
    given.emplace();
    given->status = what.status;
    given->type = what.content_type;
    for (const auto& line : what.fields)
      given->fields.emplace_back(line.name, line.value);
    given->body = what.body;
  }
  void respond(const fixed_response& what) override { respond(what.view()); }
  void refuse(fault why, std::span<const field> fields = {}) override {
    respond({rejection_of(why).status, "", fields, ""});
    given->why = why;
  }
  void respond_status(uint16_t status, std::span<const field> fields = {}) override {
    respond({status, "", fields, ""});
  }

  void respond(const response& what, std::vector<content_part> content) override {
    respond(what);
    for (auto& part : content) {
      given->body += part.bytes;
      if (part.file)
        given->body += "[" + std::to_string(part.offset) + "+" + std::to_string(part.length) + "]";
    }
    parts = std::move(content);
  }
  void begin(const response& what, std::optional<uint64_t> length) override {
    respond(what);
    promised = length;
    streaming = true;
  }
  void write(std::string_view bytes) override { given->body += bytes; }
  bool has_room() const override { return room; }
  void finish(std::span<const field>) override { streaming = false; }
  void abort() override { aborted = true; }
  void inform(uint16_t status, std::span<const field>) override { informed.push_back(status); }
  void invite() override { informed.push_back(100); }
  void tunnel(std::span<const field> fields) override {
    respond({101, "", fields, ""});
    streaming = true;
  }
  void note_upstream(std::chrono::microseconds waited) override { upstream = waited; }
  void note_cache(std::string_view how) override { cached = how; }
  void pause_content() override { paused = true; }
  void resume_content() override { paused = false; }

  /// The value of a field of the answer, empty if it is not there.
  std::string answered_field(std::string_view name) const {
    for (const auto& [key, value] : given->fields)
      if (equals_ignoring_case(key, name))
        return value;
    return {};
  }

  request_view view;
  const route_entry* entry = nullptr;
  loop_context* loop = nullptr;
  connection_base* actor = nullptr;
  uint64_t number = 7;
  std::optional<answer> given;
  std::vector<content_part> parts; ///< files are in the body as "[offset+length]"
  std::optional<uint64_t> promised;
  bool streaming = false;
  bool aborted = false;
  bool paused = false;
  bool room = true;
  std::vector<uint16_t> informed;
  std::optional<std::chrono::microseconds> upstream;
  std::string_view cached;
};

/// A route with nothing but a path, and the counters it needs.
inline route_entry make_entry(metrics& books, http_route config, header_list headers = {}) {
  const auto name = config.name;
  return {std::move(config), "a", std::move(headers), nullptr, route_metrics{books, "a", name},
          "a " + name};
}

} // namespace caf_app::http

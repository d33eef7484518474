// An exchange in front of another: a handler answers it, and what it says goes through, except for
// what a filter overrides.
#pragma once

#include <utility>

#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// To derive from; the exchange outlives it.
class exchange_filter : public exchange {
public:
  const request_view& request() const override { return open_.request(); }
  const route_entry& route() const override { return open_.route(); }
  loop_context& context() override { return open_.context(); }
  connection_base* owner() override { return open_.owner(); }
  uint64_t id() const override { return open_.id(); }
  std::string_view peer() const override { return open_.peer(); }
  void respond(const response& answer) override { open_.respond(answer); }
  void respond(const fixed_response& answer) override { open_.respond(answer); }
  void refuse(fault why, std::span<const field> fields) override { open_.refuse(why, fields); }
  void respond_status(uint16_t status, std::span<const field> fields) override {
    open_.respond_status(status, fields);
  }
  void respond(const response& head, std::vector<content_part> content) override {
    open_.respond(head, std::move(content));
  }
  void begin(const response& head, std::optional<uint64_t> length) override {
    open_.begin(head, length);
  }
  void write(std::string_view bytes) override { open_.write(bytes); }
  bool has_room() const override { return open_.has_room(); }
  void finish(std::span<const field> trailers) override { open_.finish(trailers); }
  void abort() override { open_.abort(); }
  void inform(uint16_t status, std::span<const field> fields) override {
    open_.inform(status, fields);
  }
  void invite() override { open_.invite(); }
  void tunnel(std::span<const field> fields) override { open_.tunnel(fields); }
  void note_upstream(std::chrono::microseconds waited) override { open_.note_upstream(waited); }
  void note_cache(std::string_view how) override { open_.note_cache(how); }
  void pause_content() override { open_.pause_content(); }
  void resume_content() override { open_.resume_content(); }

protected:
  explicit exchange_filter(exchange& open) : open_(open) {}
  ~exchange_filter() = default;

  exchange& open_;
};

} // namespace caf_app::http

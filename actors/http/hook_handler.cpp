#include "actors/http/hook_handler.hpp"

#include <ctime>

#include <charconv>

#include "actors/http/body_buffer.hpp"
#include "actors/http/loop_context.hpp"

namespace caf_app::http {

namespace {

constexpr unsigned block_ms_max = 60'000;

class echo_task final : public exchange_task {
public:
  explicit echo_task(exchange& open)
      : open_(open), type_(open.request().fields->first(known_field::content_type)),
        body_(open.context().table->limits().body_memory) {}

  void on_body(std::span<const char> bytes) override { stored_ = stored_ && body_.append(bytes); }

  void on_body_end() override {
    const auto whole = body_.view();
    if (stored_ && whole.size() == body_.size())
      open_.respond({200, type_, {}, whole});
    else
      open_.respond_status(500); // no room for the file
  }

private:
  exchange& open_;
  std::string type_;
  body_buffer body_;
  bool stored_ = true;
};

class echo_handler final : public route_handler {
public:
  std::unique_ptr<exchange_task> start(exchange& open) const override {
    return std::make_unique<echo_task>(open);
  }
};

class block_handler final : public route_handler {
public:
  std::unique_ptr<exchange_task> start(exchange& open) const override {
    const auto query = open.request().query;
    unsigned ms = 0;
    const auto digits = query.starts_with("ms=") ? query.substr(3) : query;
    const auto [end, bad] = std::from_chars(digits.begin(), digits.end(), ms);
    if (bad != std::errc{} || end != digits.end() || ms > block_ms_max) {
      open.respond_status(400);
      return nullptr;
    }
    timespec rest{ms / 1000, static_cast<long>(ms % 1000) * 1'000'000};
    while (::nanosleep(&rest, &rest) != 0) {
    }
    open.respond({200, "text/plain", {}, "blocked\n"});
    return nullptr;
  }
};

template <class Handler>
extra_route hook(const http_limits& limits, const char* path, const char* method) {
  http_route route;
  route.path = route.name = path;
  route.match = route_match::exact;
  route.methods = {method};
  route.max_body = limits.max_body;
  return {route, [](const route_entry&) { return std::make_unique<Handler>(); }};
}

} // namespace

std::vector<extra_route> test_hook_routes(const http_limits& limits) {
  return {hook<echo_handler>(limits, "/test/echo", "POST"),
          hook<block_handler>(limits, "/test/block", "GET")};
}

} // namespace caf_app::http

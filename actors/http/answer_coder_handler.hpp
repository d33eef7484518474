// Sends the answers of a route's handler in the content coding that each client prefers: whole
// ones, and those that are streamed, which reach the client after each write. It stands between the
// client and everything else, a cache too, so what is stored has no coding of ours. What may be
// coded, and how fields change, is coded_response's. RFC 9110 §8.4, adr/0022-codings.md
#pragma once

#include <atomic>
#include <memory>

#include "actors/http/exchange.hpp"

namespace caf_app::http {

class answer_coder_handler final : public route_handler {
public:
  explicit answer_coder_handler(std::unique_ptr<route_handler> inner) : inner_(std::move(inner)) {}

  std::unique_ptr<exchange_task> start(exchange& open) const override;
  std::string refusal_json(uint16_t status) const override { return inner_->refusal_json(status); }

private:
  std::unique_ptr<route_handler> inner_;

  /// Streams that are being coded, on all loops: their coders' memory is bounded by it.
  std::shared_ptr<std::atomic<size_t>> streams_ = std::make_shared<std::atomic<size_t>>(0);
};

} // namespace caf_app::http

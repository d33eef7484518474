// Sends the answer of a handler in the content coding that its client prefers: whole ones, and
// those that are streamed, which reach the client after each write. What may be coded, and how
// fields change, is coded_response's. RFC 9110 §8.4
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "actors/http/coded_response.hpp"
#include "actors/http/compressor.hpp"
#include "actors/http/exchange.hpp"
#include "actors/http/site_table.hpp"

namespace caf_app::http {

class answer_coder {
public:
  /// Reads what the request says; to be made within route_handler::start().
  answer_coder(const exchange& open, const route_entry& entry);

  answer_coder(const answer_coder&) = delete;
  answer_coder& operator=(const answer_coder&) = delete;

  /// As exchange::respond(); a large body is coded on a worker first.
  void respond(exchange& open, const response& answer);

  /// As those of exchange.
  void begin(exchange& open, const response& head, std::optional<uint64_t> length);
  void write(exchange& open, std::string_view bytes);
  void finish(exchange& open, std::span<const field> trailers = {});

private:
  using shared_content = std::shared_ptr<const std::string>;

  void code_elsewhere(exchange& open, std::string_view body);
  void respond_coded(exchange& open, const shared_content& body);

  bool on_; // the route compresses, and no part was asked for
  std::optional<std::string> accept_encoding_;
  std::optional<coded_response> coded_;
  std::unique_ptr<compressor> stream_; // of a streamed answer
  std::string scratch_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace caf_app::http

// Which requests ask to become a tunnel, and which responses agree. RFC 9110 §7.8, RFC 6455 §4. Of
// protocols only WebSocket is checked; h2c is refused, because it would carry requests past us.
#pragma once

#include <string>
#include <string_view>

#include "actors/http/exchange.hpp"
#include "actors/http/h1_response.hpp"

namespace caf_app::http {

/// What a request asks for.
struct upgrade_wish {
  std::string protocol; ///< as sent; empty: nothing
  std::string key;      ///< of a WebSocket

  explicit operator bool() const noexcept { return !protocol.empty(); }
};

/// @returns nothing unless it is a GET of HTTP/1.1 without content, Connection says `upgrade`,
/// Upgrade is one protocol, and a WebSocket has its key
upgrade_wish find_upgrade(const request_view& request);

/// The answer to a Sec-WebSocket-Key. RFC 6455 §4.2.2
std::string websocket_accept(std::string_view key);

/// @returns whether a 101 is the answer to this wish
bool grants(const h1_response& response, const upgrade_wish& wish);

} // namespace caf_app::http

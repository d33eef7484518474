// The heads that a reverse proxy passes on: what goes to the upstream of a request, what comes back
// of a response. Hop-by-hop fields end here, forwarding fields say who asked, framing is ours.
// RFC 9110 §7.6, RFC 7239.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "actors/http/exchange.hpp"
#include "actors/http/h1_response.hpp"
#include "actors/http/upstream_config.hpp"

namespace caf_app::http {

/// What the request does not know by itself. Views must stay valid for the call only.
struct proxy_facts {
  std::string_view peer;       ///< address of the client's connection, without port
  bool trusted = false;        ///< the peer's own forwarding fields are kept
  std::string_view request_id; ///< never empty
  std::string_view upgrade;    ///< protocol that is asked for (upgrade.hpp); empty: none
};

/// @returns whether Connection names a field that must not be dropped on a client's word: 400
bool has_forbidden_connection(const field_list& fields);

/// A request head but for its Host line, which differs from server to server.
class proxy_request_head {
public:
  /// Content is framed with Content-Length if its length is known, else chunked.
  proxy_request_head(const request_view& request, const proxy_options& options,
                     const proxy_facts& facts);

  /// The whole head. @param host of the server, used unless the client's is kept
  std::string text(std::string_view host) const;

private:
  std::string line_;   // with its end
  std::string host_;   // the client's, if it is kept
  std::string fields_; // with the empty line
};

/// The fields of a response that the client gets, with Via, without those that frame it. Views lie
/// in `response` and in this.
class proxy_response_fields {
public:
  explicit proxy_response_fields(const h1_response& response);

  proxy_response_fields(const proxy_response_fields&) = delete;
  proxy_response_fields& operator=(const proxy_response_fields&) = delete;

  std::vector<field>& lines() noexcept { return lines_; }

private:
  std::string via_;
  std::vector<field> lines_;
};

} // namespace caf_app::http

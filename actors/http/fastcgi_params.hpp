// The parameters of a FastCGI request: CGI/1.1 variables (RFC 3875 §4.1) and the fields of the
// request. A field may not pose as another one: no `_` in its name, no Proxy (httpoxy), no second
// CONTENT_LENGTH.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/http/exchange.hpp"

namespace caf_app::http {

/// What the request itself does not say.
struct fastcgi_client {
  std::string_view address;               ///< REMOTE_ADDR
  std::string_view port;                  ///< REMOTE_PORT; empty: not known
  std::string_view scheme = "http";       ///< "http" or "https"
  std::string_view protocol = "HTTP/1.1"; ///< SERVER_PROTOCOL
  std::string_view request_id;            ///< HTTP_X_REQUEST_ID
};

/// Further parameters of the operator: they stand in for ours of the same name.
using fastcgi_extras = std::vector<std::pair<std::string, std::string>>;

/// All but what the script and the content decide; taken while the request's head is there.
std::string fastcgi_request_params(const request_view& request, const fastcgi_client& client,
                                   const fastcgi_extras& extras);

struct fastcgi_target {
  std::string_view root;                  ///< DOCUMENT_ROOT
  std::string_view prefix;                ///< path of the route, in front of the script's name
  std::string_view script;                ///< below the root
  std::string_view path_info;             ///< empty or begins with '/'
  std::optional<uint64_t> content_length; ///< unset: the request has no content
};

/// The rest, and the operator's own ones.
std::string fastcgi_script_params(const fastcgi_target& target, const fastcgi_extras& extras);

/// Whether an operator may set this variable: not what decides which script runs, on how much
/// content, or what clients must not reach (httpoxy).
bool is_free_param(std::string_view name);

} // namespace caf_app::http

// What of the admin interface is about the scaler.
#pragma once

#include <string>

#include "actors/scaler/scaler_board.hpp"
#include "caf_app/messages/http.hpp"

namespace caf_app {

/// What of a node is scaled; null: it is not.
struct scaled_parts {
  const scaler::scaler_board* web = nullptr;
  const scaler::scaler_board* eval = nullptr;
};

/// GET /v1/scaler: the state of the web instances with the member `eval` for that of the workers.
/// GET /v1/decisions: those of both, by time. Without either 404.
http_response scaler_reply(const scaled_parts& parts, const std::string& path);

/// POST /v1/scale: 200 {"pinned": number or null}, 400 beyond the bounds, 404 without a board.
/// @param body JSON: a number of instances, or "auto"
http_response scale(scaler::scaler_board* board, const std::string& body);

} // namespace caf_app

// What of the admin interface is about the scaler.
#pragma once

#include <string>

#include "actors/scaler/scaler_board.hpp"
#include "caf_app/messages/http.hpp"

namespace caf_app {

/// GET /v1/scaler and /v1/decisions.
/// @param board null: the node scales nothing, 404
http_response scaler_reply(const scaler::scaler_board* board, const std::string& path);

/// POST /v1/scale.
/// @param body JSON: a number of instances, or "auto"
http_response scale(scaler::scaler_board* board, const std::string& body);

} // namespace caf_app

// Answers of the admin interface, each whole and in one place: text, JSON, and refusals.
#pragma once

#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include <caf/error.hpp>

#include "caf_app/messages/http.hpp"

namespace caf_app::admin_reply {

/// @param type value of Content-Type
http_response text_reply(uint16_t status, std::string type, std::string body);

/// @param body JSON
http_response json_text(uint16_t status, std::string body);

/// 200 with JSON.
http_response ok(const boost::json::value& value);

/// {"error": text, "code": code}
http_response refusal(uint16_t status, const std::string& text, std::string_view code);

/// The refusal of an error that an asked actor, or the way to it, gave: 404, 400, 504 and 503 for
/// not_found, invalid_argument, timed_out and noproc, else 409.
http_response failure(const caf::error& why);

/// not_found, for failure().
caf::error no_such_name(const std::string& name);

} // namespace caf_app::admin_reply

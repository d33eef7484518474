// Replies of the API that the server makes itself.
#pragma once

#include <string_view>

#include "caf_app/eval/json.hpp"
#include "caf_app/messages/eval.hpp"

namespace caf_app::eval {

eval_reply json_reply_of(uint16_t status, const json& value);

/// {"error": text, "code": word}; 429 and 503 tell to try again in a second (Retry-After, RFC 9110
/// §10.2.3).
eval_reply refusal(uint16_t status, std::string_view text, std::string_view code);

} // namespace caf_app::eval

// Signed graph states: the caller keeps them, so with a key nobody can change one unnoticed. The
// signature is the member `mac` of the state, HMAC-SHA256 in lower-case hex over the compact form
// of the rest with members sorted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caf_app::eval {

/// Checks the state in the body of a graph call, if there is one. What is no JSON is left to the
/// driver, which refuses it.
/// @param key any bytes
/// @returns what is wrong with its signature (missing, or another), nothing if it is good
std::optional<std::string> check_state(std::string_view body, std::string_view key);

/// Signs the state in the reply to a graph call; any other text stays as it is.
void sign_state(std::string& reply, std::string_view key);

} // namespace caf_app::eval

#include "actors/eval/state_signature.hpp"

#include <algorithm>

#include "actors/eval/call_envelope.hpp"
#include "actors/eval/digest.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

constexpr std::string_view member = "mac";

std::optional<json::object> read_state(std::string_view text) {
  auto value = read_json(text, json_depth_max + envelope_depth_max);
  auto* parsed = std::get_if<json>(&value);
  auto* members = parsed ? parsed->if_object() : nullptr;
  return members ? std::optional{std::move(*members)} : std::nullopt;
}

std::string signature_of(json::object state, std::string_view key) {
  return hmac_sha256_hex(key, canonical_text(json{std::move(state)}));
}

} // namespace

std::optional<std::string> check_state(std::string_view body, std::string_view key) {
  auto state = read_state(find_member(body, "state"));
  if (!state)
    return std::nullopt;
  const auto mac = std::find_if(state->begin(), state->end(),
                                [](const json::member& one) { return one.name == member; });
  if (mac == state->end() || !mac->value.if_string())
    return "state: its signature is missing";
  const auto given = *mac->value.if_string();
  state->erase(mac);
  if (!same_digest(given, signature_of(std::move(*state), key)))
    return "state: its signature does not match";
  return std::nullopt;
}

void sign_state(std::string& reply, std::string_view key) {
  const auto text = find_member(reply, "state");
  auto state = read_state(text);
  if (!state)
    return;
  const auto end = static_cast<size_t>(text.data() - reply.data()) + text.rfind('}');
  const std::string before = state->empty() ? R"("mac":")" : R"(,"mac":")";
  reply.insert(end, before + signature_of(std::move(*state), key) + '"');
}

} // namespace caf_app::eval

// Any bytes as the body of a call: the scan for `binding` and `policy` agrees with a parser
// wherever the body is JSON, and signing a state makes one that is accepted.
#include "actors/eval/call_envelope.hpp"

#include "actors/eval/state_signature.hpp"
#include "caf_app/base/assert.hpp"
#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view body{reinterpret_cast<const char*>(data), size};
  const auto envelope = read_envelope(body);
  const auto value = read_json(body, json_depth_max + envelope_depth_max);
  const auto* parsed = std::get_if<json>(&value);
  if (!parsed)
    return 0;
  for (const auto* name : {"binding", "policy", "state"}) {
    const auto* member = parsed->find(name);
    const auto text = find_member(body, name);
    CAF_APP_ASSERT((member == nullptr) == text.empty());
    if (member) {
      const auto again = read_json(text, json_depth_max + envelope_depth_max);
      CAF_APP_ASSERT(std::holds_alternative<json>(again) && std::get<json>(again) == *member);
    }
  }
  const auto* binding = parsed->find("binding");
  if (const auto* good = std::get_if<call_envelope>(&envelope))
    CAF_APP_ASSERT(good->organisation.empty() == (!binding || binding->is_null()));
  const auto* state = parsed->find("state");
  if (state && state->if_object() && !state->find("mac")) {
    std::string reply{body};
    sign_state(reply, "key");
    CAF_APP_ASSERT(!check_state(reply, "key"));
    CAF_APP_ASSERT(check_state(reply, "another").has_value());
  }
  return 0;
}

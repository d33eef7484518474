#include "actors/eval/api_reply.hpp"

#include "caf_app/eval/driver.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

eval_reply json_reply_of(uint16_t status, const json& value) {
  eval_reply result;
  result.status = status;
  result.body = to_text(value);
  return result;
}

eval_reply refusal(uint16_t status, std::string_view text, std::string_view code) {
  eval_reply result;
  result.status = status;
  result.body = error_body(text, code);
  if (status == 429 || status == 503)
    result.fields.push_back({"Retry-After", "1"});
  return result;
}

} // namespace caf_app::eval

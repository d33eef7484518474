#include "nodes/admin_reply.hpp"

#include <boost/json.hpp>

#include "caf_app/base/error.hpp"
#include "nodes/admin_json.hpp"

namespace caf_app::admin_reply {

namespace json = boost::json;

http_response text_reply(uint16_t status, std::string type, std::string body) {
  return {status, {{"content-type", std::move(type)}}, std::move(body)};
}

http_response json_text(uint16_t status, std::string body) {
  return text_reply(status, "application/json", std::move(body));
}

http_response ok(const json::value& value) { return json_text(200, json::serialize(value)); }

http_response refusal(uint16_t status, const std::string& text, std::string_view code) {
  return json_text(status, error_json(text, code));
}

http_response failure(const caf::error& why) {
  switch (code_of(why)) {
    case errc::not_found: return refusal(404, describe(why), "not_found");
    case errc::invalid_argument: return refusal(400, describe(why), "invalid_argument");
    case errc::timed_out: return refusal(504, describe(why), "timed_out");
    case errc::noproc: return refusal(503, describe(why), "noproc");
    default: return refusal(409, describe(why), "failed");
  }
}

caf::error no_such_name(const std::string& name) {
  return caf::make_error(errc::not_found, "nobody holds the name \"" + name + "\"");
}

} // namespace caf_app::admin_reply

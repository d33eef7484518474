#include "nodes/admin_command.hpp"

#include <algorithm>

#include <boost/json.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/base/units.hpp"
#include "nodes/admin_json.hpp"

namespace caf_app {

namespace json = boost::json;

caf::expected<admin_command> read_admin_command(const std::string& text) {
  json::error_code failed;
  const auto value = json::parse(text.empty() ? "{}" : text, failed);
  if (failed || !value.is_object())
    return caf::make_error(errc::invalid_argument, "the body has to be a JSON object");
  admin_command result;
  for (const auto& [key, member] : value.as_object()) {
    if (key == "name" && member.is_string()) {
      result.name = member.as_string();
    } else if (key == "body") {
      result.body = text_of_member(text, key, member);
    } else if (key == "actor" && member.is_int64() && member.as_int64() >= 0) {
      result.actor = static_cast<uint64_t>(member.as_int64());
    } else if (key == "timeout" && member.is_string()) {
      auto timeout = parse_duration(std::string{member.as_string()});
      if (!timeout)
        return std::move(timeout.error());
      result.timeout = std::min<std::chrono::milliseconds>(*timeout, admin_command::timeout_max);
    } else {
      return caf::make_error(errc::invalid_argument,
                             "member \"" + std::string{key} + "\" is unknown or has a wrong type");
    }
  }
  return result;
}

} // namespace caf_app

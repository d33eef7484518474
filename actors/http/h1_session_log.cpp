#include "actors/http/h1_session_log.hpp"

namespace caf_app::http {

h1_session::log_facts h1_session::log_facts::of(const h1_request& head) {
  const auto& fields = head.fields;
  return {std::string{head.method_text},
          std::string{head.target},
          std::string{head.host},
          std::string{fields.first(known_field::referer)},
          std::string{fields.first(known_field::user_agent)},
          head.minor_version};
}

} // namespace caf_app::http
namespace caf_app::http { void h1_session::log(uint16_t, size_t) {} }

#include "actors/http/respond_handler.hpp"

#include "caf_app/base/error.hpp"

namespace caf_app::http {

caf::expected<std::unique_ptr<route_handler>> respond_handler::make(const route_entry& entry,
                                                                    std::string_view server) {
  const auto& options = entry.config.respond;
  const auto headers = with_defaults(options.headers, entry.headers);
  std::vector<field> fields; // views of headers
  for (const auto& [name, value] : headers)
    fields.push_back({name, value});
  auto answer = fixed_response::make({options.status, options.type, fields, options.body}, server);
  if (!answer)
    return caf::make_error(errc::invalid_config,
                           "route " + entry.config.path +
                               ": a header or the type holds bytes that HTTP does not allow");
  return std::make_unique<respond_handler>(std::move(*answer));
}

} // namespace caf_app::http

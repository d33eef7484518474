#include "actors/http/respond_handler.hpp"

#include "actors/http/coded_response.hpp"
#include "actors/http/file_answer_handler.hpp"
#include "actors/http/file_request.hpp"
#include "caf_app/base/error.hpp"

namespace caf_app::http {

caf::expected<std::unique_ptr<route_handler>> respond_handler::make(const route_entry& entry,
                                                                    std::string_view server) {
  const auto& options = entry.config.respond;
  const auto headers = with_defaults(options.headers, entry.headers);
  std::vector<field> fields; // views of headers
  for (const auto& [name, value] : headers)
    fields.push_back({name, value});
  const response whole{options.status, options.type, fields, options.body};
  std::unique_ptr<respond_handler> result{new respond_handler};
  const auto varies = entry.config.compress && depends_on_client(whole);
  result->plain_ =
      varies
          ? fixed_response::make(coded_response{whole, coding::identity}.with(whole.body), server)
          : fixed_response::make(whole, server);
  if (!result->plain_)
    return caf::make_error(errc::invalid_config,
                           "route " + entry.config.path +
                               ": a header or the type holds bytes that HTTP does not allow");
  for (const auto which : codings)
    if (const auto body = varies ? compress(which, options.body) : nullptr) {
      result->coded_[static_cast<size_t>(which)] =
          fixed_response::make(coded_response{whole, which}.with(*body), server);
      result->codings_.push_back(which);
    }
  return std::unique_ptr<route_handler>{std::move(result)};
}

std::unique_ptr<exchange_task> respond_handler::start(exchange& open) const {
  auto chosen = coding::identity;
  const auto* fields = open.request().fields;
  if (!codings_.empty() && fields && fields->has(known_field::accept_encoding)) {
    const auto value = joined(*fields, known_field::accept_encoding);
    chosen = choose_coding(accepted_codings{value}, codings_).value_or(coding::identity);
  }
  const auto& coded = coded_[static_cast<size_t>(chosen)];
  open.respond(coded ? *coded : *plain_);
  return nullptr;
}

} // namespace caf_app::http

#include "nodes/admin_scaling.hpp"

#include <optional>

#include <boost/json.hpp>

#include "nodes/admin_reply.hpp"

namespace caf_app {

namespace json = boost::json;

using admin_reply::failure;
using admin_reply::json_text;
using admin_reply::ok;
using admin_reply::refusal;

namespace {

http_response no_scaler() {
  return refusal(404, "the node does not have the role scaler", "not_found");
}

} // namespace

http_response scaler_reply(const scaler::scaler_board* board, const std::string& path) {
  if (!board)
    return no_scaler();
  return json_text(200, path == "/v1/scaler" ? board->state() : board->decisions());
}

http_response scale(scaler::scaler_board* board, const std::string& body) {
  if (!board)
    return no_scaler();
  json::error_code failed;
  const auto value = json::parse(body.empty() ? "null" : body, failed);
  std::optional<size_t> count;
  if (!failed && value.is_int64() && value.as_int64() > 0)
    count = static_cast<size_t>(value.as_int64());
  else if (failed || !value.is_string() || value.as_string() != "auto")
    return refusal(400, "expected a number of instances, at least 1, or \"auto\"",
                   "invalid_argument");
  if (auto err = board->pin(count))
    return failure(err);
  return ok({{"pinned", count ? json::value(*count) : json::value(nullptr)}});
}

} // namespace caf_app

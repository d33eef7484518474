#include "nodes/admin_scaling.hpp"

#include <algorithm>
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
  return refusal(404, "no scaler looks after this node: ask one whose instances are scaled",
                 "not_found");
}

std::string states_of(const scaled_parts& parts) {
  if (!parts.eval)
    return parts.web->state();
  auto state = json::parse(parts.web ? parts.web->state() : "{}").as_object();
  state["eval"] = json::parse(parts.eval->state());
  return json::serialize(state);
}

std::string decisions_of(const scaled_parts& parts) {
  if (!parts.eval || !parts.web)
    return (parts.web ? parts.web : parts.eval)->decisions();
  auto all = json::parse(parts.web->decisions()).as_array();
  auto others = json::parse(parts.eval->decisions()).as_array();
  all.insert(all.end(), others.begin(), others.end());
  const auto at = [](const json::value& line) { return line.at("at").as_string(); };
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return at(a) < at(b); });
  if (all.size() > scaler::decision_log::lines_max)
    all.erase(all.begin(), all.end() - scaler::decision_log::lines_max);
  return json::serialize(all);
}

} // namespace

http_response scaler_reply(const scaled_parts& parts, const std::string& path) {
  if (!parts.web && !parts.eval)
    return no_scaler();
  return json_text(200, path == "/v1/scaler" ? states_of(parts) : decisions_of(parts));
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

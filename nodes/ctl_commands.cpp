#include "nodes/ctl_commands.hpp"

#include <ostream>

#include <boost/json.hpp>

#include "caf_app/base/error.hpp"
#include "nodes/ctl_output.hpp"

namespace caf_app {

namespace json = boost::json;

namespace {

/// Carries out calls and turns what went wrong into an exit status.
class session {
public:
  session(const admin_client& client, const ctl_request& request, std::ostream& out,
          std::ostream& err)
      : client_(client), request_(request), out_(out), err_(err) {}

  ctl_status query(const std::string& path, std::string (*show)(const json::value&)) {
    auto reply = client_.get(path);
    if (const auto status = check(reply); status != ctl_status::ok)
      return status;
    print(reply->body, show);
    return ctl_status::ok;
  }

  ctl_status text(const std::string& path) {
    auto reply = client_.get(path);
    const auto status = check(reply);
    if (status == ctl_status::ok)
      out_ << reply->body;
    return status;
  }

  ctl_status command(const std::string& path, const json::object& body) {
    return post(path, json::serialize(body));
  }

  ctl_status post(const std::string& path, const std::string& body) {
    auto reply = client_.post(path, body);
    const auto status = check(reply);
    if (status == ctl_status::ok)
      out_ << reply->body << std::endl;
    return status;
  }

  /// {"name", "body"} of a message for an actor or a group. The body goes as it was typed: numbers
  /// keep their digits.
  ctl_status message(const std::string& path) {
    const auto body = request_.body.empty() ? "null" : request_.body;
    json::error_code failed;
    json::parse(body, failed);
    if (failed) {
      err_ << "caf-ctl: \"" << request_.body << "\" is no JSON: " << failed.message() << std::endl;
      return ctl_status::usage;
    }
    auto whole = R"({"name":)" + json::serialize(json::value(request_.name)) + R"(,"body":)" + body;
    if (!request_.timeout.empty())
      whole += R"(,"timeout":)" + json::serialize(json::value(request_.timeout));
    return post(path, whole + '}');
  }

  /// A line each; as JSON one object per line, as in the file.
  ctl_status decisions() {
    auto reply = client_.get("/v1/decisions");
    if (const auto status = check(reply); status != ctl_status::ok)
      return status;
    const auto lines = json::parse(reply->body);
    if (request_.as_json)
      for (const auto& line : lines.as_array())
        out_ << json::serialize(line) << std::endl;
    else
      out_ << to_decisions(lines, request_.all) << std::flush;
    return ctl_status::ok;
  }

  /// Those of the node; as JSON the list alone.
  ctl_status instances() {
    auto reply = client_.get("/v1/scaler");
    if (const auto status = check(reply); status != ctl_status::ok)
      return status;
    const auto state = json::parse(reply->body);
    const auto* list = state.as_object().if_contains("instances");
    if (request_.as_json)
      out_ << (list ? json::serialize(*list) : "[]") << std::endl;
    else
      out_ << to_instances(state) << std::flush;
    return ctl_status::ok;
  }

  /// A count, or "auto".
  ctl_status scale() {
    json::error_code failed;
    auto count = json::parse(request_.body, failed);
    if (request_.body == "auto")
      count = "auto";
    else if (failed || !count.is_int64() || count.as_int64() < 1) {
      err_ << "caf-ctl: found \"" << request_.body
           << "\", expected a number of instances, at least 1, or auto" << std::endl;
      return ctl_status::usage;
    }
    return command("/v1/scale", {{"body", std::move(count)}});
  }

  /// Prints an event per line until the actor ends.
  ctl_status watch() {
    uint64_t actor = 0;
    for (;;) {
      auto reply = client_.post(
          "/v1/watch", json::serialize(json::object{{"name", request_.name}, {"actor", actor}}));
      if (const auto status = check(reply); status != ctl_status::ok)
        return status;
      const auto event = json::parse(reply->body);
      const auto& kind = event.at("event").as_string();
      if (kind != "none")
        out_ << reply->body << std::endl;
      if (kind == "down" || kind == "changed")
        return ctl_status::ok;
      actor = event.at("actor").to_number<uint64_t>();
    }
  }

private:
  ctl_status check(const caf::expected<admin_answer>& reply) {
    if (!reply) {
      err_ << "caf-ctl: cannot reach the node: " << describe(reply.error()) << std::endl;
      return ctl_status::unreachable;
    }
    if (reply->status >= 200 && reply->status < 300)
      return ctl_status::ok;
    json::error_code failed;
    const auto body = json::parse(reply->body, failed);
    const auto* error =
        !failed && body.is_object() ? body.as_object().if_contains("error") : nullptr;
    const auto* code = !failed && body.is_object() ? body.as_object().if_contains("code") : nullptr;
    const auto unreachable = code && code->is_string() && code->as_string() == "unreachable";
    if (request_.as_json && error)
      err_ << reply->body << std::endl;
    else
      err_ << (unreachable ? "caf-ctl: cannot reach the node: " : "caf-ctl: ")
           << (error && error->is_string() ? std::string{error->as_string()}
                                           : "status " + std::to_string(reply->status))
           << std::endl;
    return unreachable ? ctl_status::unreachable : ctl_status::refused; // by way of another node
  }

  void print(const std::string& body, std::string (*show)(const json::value&)) {
    json::error_code failed;
    const auto value = json::parse(body, failed);
    if (failed || request_.as_json)
      out_ << body << std::endl;
    else
      out_ << show(value) << std::flush;
  }

  const admin_client& client_;
  const ctl_request& request_;
  std::ostream& out_;
  std::ostream& err_;
};

std::string show_tree(const json::value& value) { return to_tree(value); }

} // namespace

ctl_status run_command(const admin_client& client, const ctl_request& request, std::ostream& out,
                       std::ostream& err) {
  session ctl{client, request, out, err};
  const auto& what = request.command;
  if (what == "status")
    return ctl.query("/v1/status", to_facts);
  if (what == "tree")
    return ctl.query("/v1/tree", show_tree);
  if (what == "names" || what == "groups" || what == "actors" || what == "nodes")
    return ctl.query("/v1/" + what, to_table);
  if (what == "decisions")
    return ctl.decisions();
  if (what == "instances")
    return ctl.instances();
  if (what == "scale")
    return ctl.scale();
  if (what == "metrics")
    return ctl.text("/metrics");
  if (what == "ask" || what == "send" || what == "publish")
    return ctl.message("/v1/" + what);
  if (what == "watch")
    return ctl.watch();
  if (what == "kill")
    return ctl.command("/v1/kill", {{"name", request.name}});
  return ctl.command("/v1/" + what, {}); // drain, reload
}

} // namespace caf_app

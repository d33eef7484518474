#include "caf_app/eval/effects.hpp"

#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

std::string text_member(const json& reply, std::string_view name) {
  auto value = reply.find(name);
  auto text = value ? value->if_string() : nullptr;
  if (!text)
    throw effect_failed{"the reply has no " + std::string{name}};
  return *text;
}

http_reply http_exchange(effect_port* port, json request) {
  port->require(effect::http);
  const auto reply = port->perform(effect::http, request);
  http_reply result;
  if (auto status = reply.find("status"); status && status->if_number())
    result.status = std::stoi(*status->if_number());
  if (auto fields = reply.find("fields"); fields && fields->if_object())
    for (auto& field : *fields->if_object())
      if (auto value = field.value.if_string())
        result.fields.emplace(field.name, *value);
  result.content = text_member(reply, "content");
  return result;
}

} // namespace

std::string_view to_string(effect value) {
  switch (value) {
    case effect::trace: return "Trace";
    case effect::error: return "Error";
    case effect::http: return "HTTP";
    case effect::files: return "FileSystem";
  }
  return "";
}

permission_denied::permission_denied(effect what)
    : std::runtime_error("permission denied: " + std::string{to_string(what)}) {}

void effect_face<trace>::trace(std::string_view line) {
  port->require(effect::trace);
  port->log(line);
}

failure effect_face<error>::fail(std::string text) {
  port->require(effect::error);
  if (!is_utf8(text))
    text = "a failure whose text is not UTF-8";
  return failure{std::move(text)};
}

http_reply effect_face<http>::get(std::string_view url) {
  json request;
  request.add("method", "GET");
  request.add("url", url);
  return http_exchange(port, std::move(request));
}

http_reply effect_face<http>::post(std::string_view url, std::string_view content,
                                   std::string_view content_type) {
  json request;
  request.add("method", "POST");
  request.add("url", url);
  request.add("type", content_type);
  request.add("content", content);
  return http_exchange(port, std::move(request));
}

std::string effect_face<files>::read(std::string_view path) {
  port->require(effect::files);
  json request;
  request.add("method", "read");
  request.add("path", path);
  return text_member(port->perform(effect::files, request), "content");
}

void effect_face<files>::write(std::string_view path, std::string_view content) {
  port->require(effect::files);
  json request;
  request.add("method", "write");
  request.add("path", path);
  request.add("content", content);
  port->perform(effect::files, request);
}

} // namespace caf_app::eval

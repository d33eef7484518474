#include "caf_app/eval/driver.hpp"

#include <algorithm>
#include <charconv>

#include "caf_app/eval/graph_request.hpp"
#include "caf_app/eval/graph_state.hpp"
#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

namespace {

json describe(const function_face& function) {
  json result;
  result.add("name", function.name());
  result.add("signature", function.signature());
  result.add("arity", function.arity());
  result.add("producer", function.is_producer());
  return result;
}

json describe_node(const graph_node& node, size_t id) {
  json result;
  result.add("id", id);
  if (node.is_input()) {
    result.add("input", node.input);
    result.add("type", node.type_name);
    return result;
  }
  result.add("function", node.function->name());
  if (!node.arguments.empty())
    result.add("args", json::array(node.arguments.begin(), node.arguments.end()));
  return result;
}

json describe(const graph_plan& plan) {
  json::array inputs;
  json::array nodes;
  json::array sources;
  json::array sinks;
  for (size_t id = 0; id < plan.nodes.size(); ++id) {
    auto& node = plan.nodes[id];
    nodes.push_back(describe_node(node, id));
    if (node.is_input()) {
      json input;
      input.add("name", node.input);
      input.add("type", node.type_name);
      inputs.push_back(std::move(input));
    }
    if (node.arguments.empty())
      sources.emplace_back(id);
    const auto is_read = std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](auto& reader) {
      return std::find(reader.arguments.begin(), reader.arguments.end(), id) !=
             reader.arguments.end();
    });
    if (!is_read)
      sinks.emplace_back(id);
  }
  json result;
  result.add("name", plan.name);
  result.add("inputs", std::move(inputs));
  result.add("nodes", std::move(nodes));
  result.add("sources", std::move(sources));
  result.add("sinks", std::move(sinks));
  return result;
}

/// The header of a call; the server wrote it, so that a fault is a fault of this protocol.
struct call_header {
  std::string kind;
  std::string name;
  call_context context;
  std::vector<std::string> effects;
  size_t reply_max = 0;
};

std::string text_of(const json& from, std::string_view member) {
  auto value = from.find(member);
  auto text = value ? value->if_string() : nullptr;
  return text ? *text : std::string{};
}

template <class Number>
Number number_of(const json& from, std::string_view member) {
  Number result = 0;
  auto value = from.find(member);
  if (auto text = value ? value->if_number() : nullptr)
    std::from_chars(text->data(), text->data() + text->size(), result);
  return result;
}

std::optional<call_header> read_header(std::string_view text) {
  auto parsed = read_json(text);
  auto from = std::get_if<json>(&parsed);
  if (!from || !from->if_object())
    return std::nullopt;
  call_header header;
  header.kind = text_of(*from, "kind");
  header.name = text_of(*from, "name");
  header.context.build = text_of(*from, "build");
  header.context.clock_ms = number_of<int64_t>(*from, "clock");
  if (auto identity = from->find("identity"))
    header.context.identity = *identity;
  if (auto effects = from->find("effects"); effects && effects->if_array())
    for (auto& effect : *effects->if_array())
      if (auto name = effect.if_string())
        header.effects.push_back(*name);
  header.reply_max = number_of<size_t>(*from, "replyMax");
  return header;
}

call_reply run(const driver_table& table, const call_header& header, const json& request,
               call_port& port) {
  if (header.kind == "function") {
    for (auto function : table.functions)
      if (function->name() == header.name)
        return call_function(*function, request, port);
  } else {
    for (auto& plan : table.graphs)
      if (plan.name == header.name)
        return call_graph(plan, request, header.context, port);
  }
  return call_fault{404, "not_found", "the build has no " + header.kind + " " + header.name};
}

} // namespace

json describe(const driver_table& table) {
  json::array functions;
  for (auto function : table.functions)
    functions.push_back(describe(*function));
  json::array graphs;
  for (auto& plan : table.graphs)
    graphs.push_back(describe(plan));
  json result;
  result.add("functions", std::move(functions));
  result.add("graphs", std::move(graphs));
  result.add("contract", graph_contract);
  return result;
}

std::string error_body(std::string_view text, std::string_view code) {
  std::string body = "{\"error\":";
  write_json_string(body, text);
  body += ",\"code\":";
  write_json_string(body, code);
  body += '}';
  return body;
}

driver_reply serve(const driver_table& table, std::string_view header_text, std::string_view body,
                   const call_port::performer& perform) {
  auto header = read_header(header_text);
  if (!header)
    return {500, error_body("the call's header is not one", "internal")};
  auto parsed = read_json(body.empty() ? "{}" : body, json_depth_max + envelope_depth_max);
  if (auto fault = std::get_if<json_fault>(&parsed))
    return {400, error_body("the body is no JSON: " + fault->text + " (at byte " +
                                std::to_string(fault->offset) + ")",
                            "malformed_json")};
  call_port port{header->effects, perform};
  auto reply = run(table, *header, std::get<json>(parsed), port);
  if (auto fault = std::get_if<call_fault>(&reply))
    return {fault->status, error_body(fault->text, fault->code)};
  auto& text = std::get<std::string>(reply);
  if (text.size() > header->reply_max)
    return {500, error_body("the reply has " + std::to_string(text.size()) + " bytes, at most " +
                                std::to_string(header->reply_max) + " are allowed",
                            "reply_too_large")};
  return {200, std::move(text)};
}

} // namespace caf_app::eval

// Any bytes as the body of `POST /builds`: what is accepted keeps its limits and has an id that
// does not depend on the order of members; values survive being written and read again.
#include "actors/eval/build_id.hpp"

#include <algorithm>

#include "actors/eval/declaration.hpp"
#include "actors/eval/project.hpp"
#include "caf_app/base/assert.hpp"
#include "caf_app/eval/json_text.hpp"

using namespace caf_app::eval;

namespace {

json reversed(const json& value) {
  if (const auto* items = value.if_array()) {
    json::array result;
    for (const auto& item : *items)
      result.push_back(reversed(item));
    return result;
  }
  const auto* members = value.if_object();
  if (!members)
    return value;
  json result{json::object{}};
  for (auto i = members->rbegin(); i != members->rend(); ++i)
    result.add(i->name, reversed(i->value));
  return result;
}

std::vector<source_file> files_of(const declaration& from) {
  const auto* given = std::get_if<inline_source>(&from.source);
  return given ? given->files : std::vector<source_file>{};
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto value = read_json({reinterpret_cast<const char*>(data), size});
  const auto* parsed = std::get_if<json>(&value);
  if (!parsed)
    return 0;
  const auto again = read_json(to_text(*parsed));
  CAF_APP_ASSERT(std::holds_alternative<json>(again) && std::get<json>(again) == *parsed);
  const auto result = read_declaration(*parsed, local_sources::allowed);
  if (const auto* why = std::get_if<std::string>(&result)) {
    CAF_APP_ASSERT(!why->empty());
    return 0;
  }
  const auto& declared = std::get<declaration>(result);
  CAF_APP_ASSERT(!declared.functions.empty() && declared.functions.size() <= functions_max);
  CAF_APP_ASSERT(declared.graphs.size() <= graphs_max);
  CAF_APP_ASSERT(is_binding_name(declared.organisation));
  const auto files = files_of(declared);
  for (const auto& file : files)
    CAF_APP_ASSERT(is_plain_path(file.path));
  const auto id = build_id_of("salt", declared, files);
  CAF_APP_ASSERT(is_build_id(id));
  const auto other = read_declaration(reversed(*parsed), local_sources::allowed);
  if (const auto* same = std::get_if<declaration>(&other))
    CAF_APP_ASSERT(declared.functions.size() > 1 || declared.graphs.size() > 1 ||
                   build_id_of("salt", *same, files_of(*same)) == id);
  check_parts(declared, files);
  return 0;
}

// Any text as a graph program: nodes come out numbered so that arguments come before their readers,
// faults point into the text.
#include "actors/eval/program.hpp"

#include <algorithm>

#include "caf_app/base/assert.hpp"

using namespace caf_app::eval;

namespace {

program_scope make_scope() {
  program_scope scope;
  scope.arities = {{"math.add", 2}, {"one", 0}, {"f", 1}, {"odd", any_arity}};
  scope.project_types = {"project::point"};
  return scope;
}

void check_program(const program& parsed) {
  CAF_APP_ASSERT(!parsed.nodes.empty());
  for (size_t id = 0; id < parsed.nodes.size(); ++id) {
    const auto& node = parsed.nodes[id];
    CAF_APP_ASSERT(node.is_input() == !node.input.empty());
    for (auto argument : node.arguments)
      CAF_APP_ASSERT(argument < id);
    CAF_APP_ASSERT(!node.is_input() || node.arguments.empty());
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto scope = make_scope();
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const auto result = parse_program(text, scope);
  if (const auto* parsed = std::get_if<program>(&result)) {
    check_program(*parsed);
    return 0;
  }
  const auto& faults = std::get<std::vector<text_fault>>(result);
  CAF_APP_ASSERT(!faults.empty());
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const auto& fault : faults)
    CAF_APP_ASSERT(fault.place.line <= lines && !fault.text.empty());
  return 0;
}

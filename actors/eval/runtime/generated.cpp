#include "caf_app/eval/generated.hpp"

namespace caf_app::eval {

graph_plan make_plan(const char* name, bool cutoff, std::span<const graph_row> rows,
                     std::span<const size_t> arguments) {
  graph_plan plan{name, cutoff, {}};
  for (auto& row : rows) {
    auto& node = plan.nodes.emplace_back();
    if (row.input) {
      node.input = row.input;
      node.type = &row.type();
      node.type_name = row.type_name;
    } else {
      const auto own = arguments.subspan(row.first_argument, row.arguments);
      node.function = &row.function();
      node.arguments.assign(own.begin(), own.end());
    }
  }
  return plan;
}

} // namespace caf_app::eval

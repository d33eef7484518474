#include "caf_app/base/config_report.hpp"

#include <algorithm>
#include <tuple>

#include "caf_app/base/error.hpp"
#include "caf_app/base/limits.hpp"

namespace caf_app {

void config_report::add(const config_position& at, std::string text) {
  complaints_.push_back({at, std::move(text)});
}

std::vector<std::string> config_report::lines() const {
  std::vector<const complaint*> sorted;
  for (const auto& complaint : complaints_)
    sorted.push_back(&complaint);
  const auto key = [](const complaint* x) {
    return std::tuple{x->at.line == 0, x->at.line, x->at.column};
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const complaint* x, const complaint* y) { return key(x) < key(y); });
  std::vector<std::string> result;
  for (const auto* complaint : sorted) {
    if (result.size() == limits::config::errors_max) {
      result.push_back("and " + std::to_string(sorted.size() - result.size()) + " more");
      break;
    }
    result.push_back(to_string(complaint->at) + ": " + complaint->text);
  }
  return result;
}

caf::error config_report::to_error() const {
  if (empty())
    return {};
  std::string text;
  for (const auto& line : lines())
    text += (text.empty() ? "" : "\n") + line;
  return caf::make_error(errc::invalid_config, std::move(text));
}

} // namespace caf_app

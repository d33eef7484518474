#include "actors/http/file_entry.hpp"

#include <algorithm>

namespace caf_app::http {

uint64_t file_entry::memory() const {
  uint64_t result = sizeof *this + type.size();
  for (const auto& each : forms)
    result += sizeof each + (each.content ? each.content->size() : 0);
  for (const auto& each : coded)
    result += each ? each->size() : 0;
  for (const auto& each : simple)
    result += each ? 2 * each->body_size() : 0;
  return result;
}

bool file_entry::same_as(const file_entry& other) const {
  return is_fallback == other.is_fallback &&
         std::equal(forms.begin(), forms.end(), other.forms.begin(), other.forms.end(),
                    [](const file_form& a, const file_form& b) { return a.same_as(b); });
}

} // namespace caf_app::http

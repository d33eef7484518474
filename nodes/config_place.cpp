#include "nodes/config_place.hpp"

#include <algorithm>
#include <charconv>

#include "caf_app/base/error.hpp"
#include "caf_app/base/error_detail.hpp"

namespace caf_app {

namespace {

const config_value* element(const config_value::array& list, std::string_view word) {
  size_t index = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), index);
  const auto good = failed == std::errc{} && end == word.data() + word.size();
  return good && index < list.size() ? &list[index] : nullptr;
}

} // namespace

const config_value* find_at(const config_value* from, std::string_view path) {
  while (from && !path.empty()) {
    const auto end = std::min(path.find('.'), path.size());
    const auto word = path.substr(0, end);
    from = from->as_array() ? element(*from->as_array(), word) : from->find(word);
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return from;
}

caf::error at_place(const config_value* where, const caf::error& why) {
  if (!where || !why)
    return why;
  const auto code = code_of(why);
  return caf::make_error(code == errc{} ? errc::invalid_config : code,
                         to_string(where->at) + ": " + detail_of(why));
}

} // namespace caf_app

#include "nodes/event_text.hpp"

#include <boost/json.hpp>

namespace caf_app {

std::string event_text(std::string_view name, std::string_view data) {
  auto result = "event: " + std::string{name} + "\n";
  for (;;) {
    const auto end = data.find_first_of("\r\n");
    result.append("data: ").append(data.substr(0, end)).append("\n");
    if (end == data.npos)
      return result + "\n";
    data.remove_prefix(end + (data.substr(end, 2) == "\r\n" ? 2 : 1));
  }
}

std::string tail_of(std::string_view array, size_t count) {
  boost::json::error_code failed;
  const auto value =
      boost::json::parse(boost::json::string_view{array.data(), array.size()}, failed);
  const auto* list = failed ? nullptr : value.if_array();
  if (!list || list->size() <= count)
    return std::string{array};
  return boost::json::serialize(
      boost::json::array(list->end() - static_cast<std::ptrdiff_t>(count), list->end()));
}

} // namespace caf_app

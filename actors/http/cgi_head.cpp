#include "actors/http/cgi_head.hpp"

#include <algorithm>
#include <utility>

#include "actors/http/field.hpp"
#include "actors/http/servers_own.hpp"

namespace caf_app::http {

cgi_head_reader::outcome cgi_head_reader::feed(std::span<const char> bytes) {
  buffer_.append(bytes.data(), bytes.size());
  if (!find_end())
    return buffer_.size() >= bytes_max_ ? outcome::bad : outcome::need_more;
  return parse() ? outcome::head : outcome::bad;
}

// Looks for the empty line where the last look ended, so that a head in small pieces costs no more
// than one in large ones.
bool cgi_head_reader::find_end() {
  const auto text = std::string_view{buffer_}.substr(0, bytes_max_);
  for (;;) {
    const auto end = text.find('\n', std::max(line_, seen_));
    if (end == std::string_view::npos) {
      seen_ = text.size();
      return false;
    }
    if (end == line_ || (end == line_ + 1 && text[line_] == '\r')) {
      end_ = end + 1;
      return true;
    }
    line_ = end + 1;
  }
}

bool cgi_head_reader::parse() {
  std::string_view rest{buffer_.data(), end_};
  for (;;) {
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    rest.remove_prefix(end + 1);
    if (line.empty())
      break;
    if (!parse_line(line))
      return false;
  }
  if (has_location_ && !has_status_)
    head_.status = 302;
  return true;
}

bool cgi_head_reader::parse_line(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos)
    return false;
  const auto name = line.substr(0, colon);
  const auto value = trim_blanks(line.substr(colon + 1));
  if (!is_token(name) || !is_field_value(value) || head_.fields.size() >= fields_max)
    return false;
  if (equals_ignoring_case(name, "status")) {
    const auto code = parse_length(value.substr(0, 3));
    if (std::exchange(has_status_, true))
      return false;
    head_.status = code ? static_cast<uint16_t>(*code) : 0;
    return head_.status >= 200 && head_.status <= 599 && (value.size() == 3 || value[3] == ' ');
  }
  const auto id = find_known_field(name);
  if (id == known_field::content_length) {
    if (head_.content_length)
      return false; // two lengths: somebody would take the other one
    head_.content_length = parse_length(value);
    return head_.content_length.has_value();
  }
  has_location_ = has_location_ || id == known_field::location;
  if (!is_servers_own(id))
    head_.fields.push_back({std::string{name}, std::string{value}});
  return true;
}

} // namespace caf_app::http

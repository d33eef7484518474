#include "actors/http/h2_response.hpp"

#include <algorithm>

#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

bool has_no_place(std::string_view name) {
  constexpr std::string_view names[]{"connection",        "keep-alive", "proxy-connection",
                                     "transfer-encoding", "upgrade",    "content-length"};
  return std::any_of(std::begin(names), std::end(names),
                     [name](std::string_view each) { return equals_ignoring_case(name, each); });
}

} // namespace

void h2_block::clear() {
  bytes_.clear();
  lines_.clear();
}

bool h2_block::clear_and_fail() {
  clear();
  return false;
}

void h2_block::append(std::string_view name, std::string_view value) {
  lines_.push_back({bytes_.size(), name.size(), bytes_.size() + name.size(), value.size()});
  for (const auto c : name)
    bytes_ += to_lower(c);
  bytes_.append(value);
}

bool h2_block::add(std::string_view name, std::string_view value) {
  value = trim_blanks(value); // RFC 9113 §8.2.1 has no blanks at the ends
  if (!is_token(name) || !is_field_value(value))
    return false;
  append(name, value);
  return true;
}

bool h2_block::set(const h2_response_head& head) {
  clear();
  append(":status", std::to_string(head.status));
  const std::pair<std::string_view, std::string_view> own[]{
      {"date", head.date}, {"server", head.server}, {"content-type", head.content_type}};
  for (const auto& [name, value] : own)
    if (!value.empty() && !add(name, value))
      return clear_and_fail();
  if (head.content_length && !is_bodiless(head.status))
    append("content-length", std::to_string(*head.content_length));
  for (const auto& each : head.fields)
    if (!has_no_place(each.name) && !add(each.name, each.value))
      return clear_and_fail();
  return true;
}

bool h2_block::set_trailers(std::span<const field> trailers) {
  clear();
  for (const auto& each : trailers)
    if (is_allowed_trailer(each.name) && !add(each.name, each.value))
      return clear_and_fail();
  return true;
}

bool h2_outflow::write(std::string_view bytes) {
  written_ += bytes.size();
  if (promised_ && written_ > *promised_)
    return false;
  if (offset_ == buffer_.size()) {
    buffer_.clear();
    offset_ = 0;
  } else if (offset_ > buffer_.size() / 2) {
    buffer_.erase(0, offset_);
    offset_ = 0;
  }
  buffer_.append(bytes);
  return true;
}

bool h2_outflow::finish() {
  finished_ = true;
  return !promised_ || written_ == *promised_;
}

void h2_outflow::drop(size_t bytes) {
  offset_ += bytes;
  if (offset_ == buffer_.size() && buffer_.capacity() > 16 * 1024) {
    buffer_ = {}; // an idle stream keeps no memory
    offset_ = 0;
  }
}

} // namespace caf_app::http

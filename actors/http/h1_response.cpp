#include "actors/http/h1_response.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "actors/http/h1_framing.hpp"
#include "actors/http/scan.hpp"
#include "actors/http/status.hpp"

namespace caf_app::http {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::string_view version = "HTTP/1.";

h1_body_limits content_limits() {
  h1_body_limits result;
  result.max_body = std::numeric_limits<int64_t>::max();
  return result;
}

} // namespace

void h1_response_parser::reset(method request) {
  request_ = request;
  buffer_.clear();
  line_ = 0;
  response_.status = 0;
  response_.minor_version = 1;
  response_.keep_alive = true;
  response_.framing = response_framing::none;
  response_.content_length = 0;
  response_.has_length = false;
  response_.fields.clear();
  what_ = {};
}

// Looks at each byte once, and at no byte behind the limit, so slices cannot change the answer.
h1_response_parser::result h1_response_parser::feed(std::span<const char> bytes) {
  const auto room = limits_.bytes - buffer_.size();
  const std::string_view text{bytes.data(), std::min(bytes.size(), room)};
  if (!begins_well(text))
    return {bytes.size(), response_event::error};
  const auto before = buffer_.size();
  size_t at = 0;
  for (;;) {
    const auto end = text.find('\n', at);
    if (end == std::string_view::npos)
      break;
    const auto previous = end > 0 ? text[end - 1] : buffer_.empty() ? '\0' : buffer_.back();
    if (previous != '\r') {
      what_ = "a line that ends with LF only";
      return {bytes.size(), response_event::error};
    }
    const auto next = before + end + 1;
    if (next - line_ == line_end.size()) {
      buffer_.append(text.substr(0, end + 1));
      return {end + 1, parse() ? response_event::head : response_event::error};
    }
    line_ = next;
    at = end + 1;
  }
  buffer_.append(text);
  if (buffer_.size() < limits_.bytes)
    return {bytes.size(), response_event::need_more};
  what_ = "a head over its limit";
  return {bytes.size(), response_event::error};
}

// What is no HTTP/1 at all need not be read to the end that it may not have.
bool h1_response_parser::begins_well(std::string_view bytes) {
  if (buffer_.size() >= version.size())
    return true;
  const auto wanted = version.substr(buffer_.size(), bytes.size());
  return bytes.starts_with(wanted) ? true : fail("no HTTP/1 at all");
}

bool h1_response_parser::parse() {
  std::string_view rest = buffer_;
  auto first = true;
  for (;;) {
    const auto end = rest.find(line_end);
    const auto line = rest.substr(0, end);
    rest.remove_prefix(end + line_end.size());
    if (line.empty())
      return first ? fail("a bad status line") : find_framing();
    if (!is_field_value(line)) // a bare CR too
      return fail("a control byte in a head");
    if (first ? !parse_status_line(line) : !parse_field(line))
      return false;
    first = false;
  }
}

// HTTP/1.1 200 OK; some leave the blank before an empty reason out.
bool h1_response_parser::parse_status_line(std::string_view line) {
  if (line.size() < 12 || !line.starts_with(version) || !scan::is_digit(line[7]) ||
      line[8] != ' ' || !scan::is_digit(line[9]) || !scan::is_digit(line[10]) ||
      !scan::is_digit(line[11]) || (line.size() > 12 && line[12] != ' '))
    return fail("a bad status line");
  response_.minor_version = line[7] == '0' ? 0 : 1;
  response_.status =
      static_cast<uint16_t>((line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0'));
  return response_.status >= 100 && response_.status <= 599 ? true : fail("a bad status");
}

bool h1_response_parser::parse_field(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
    return fail("a bad field");
  if (response_.fields.size() >= limits_.fields)
    return fail("too many fields");
  field result{line.substr(0, colon), trim_blanks(line.substr(colon + 1))};
  result.id = find_known_field(result.name);
  response_.fields.push_back(result);
  return true;
}

// RFC 9112 §6.3. What is ambiguous is refused, whatever the status.
bool h1_response_parser::find_framing() {
  const auto& fields = response_.fields;
  const auto coded = fields.has(known_field::transfer_encoding);
  response_.has_length = fields.has(known_field::content_length);
  if (coded && response_.has_length)
    return fail("Transfer-Encoding with Content-Length");
  if (fields.is_repeated(known_field::content_length) ||
      fields.is_repeated(known_field::transfer_encoding))
    return fail("a repeated framing field");
  if (coded && (response_.minor_version == 0 ||
                !equals_ignoring_case(fields.first(known_field::transfer_encoding), "chunked")))
    return fail("a Transfer-Encoding other than chunked");
  if (response_.has_length) {
    const auto length = parse_length(fields.first(known_field::content_length));
    if (!length)
      return fail("a bad Content-Length");
    response_.content_length = *length;
  }
  response_.keep_alive = wants_keep_alive(fields, response_.minor_version);
  if (request_ == method::head || is_bodiless(response_.status))
    response_.framing = response_framing::none;
  else if (coded)
    response_.framing = response_framing::chunked;
  else if (response_.has_length)
    response_.framing = response_framing::length;
  else
    response_.framing = response_framing::until_close;
  // Content that RFC 9110 §8.6 and RFC 9112 §6.1 forbid may still come, as an answer to the next
  // request.
  const auto promises = response_.status == 204 && (coded || response_.content_length > 0);
  if (response_.framing == response_framing::until_close || promises)
    response_.keep_alive = false;
  return true;
}

h1_response_body::h1_response_body(const h1_response& head)
    : framing_(head.framing), done_(head.framing == response_framing::none),
      remaining_(head.content_length) {
  if (framing_ == response_framing::chunked)
    chunked_ = h1_chunked{content_limits()};
}

h1_body_step h1_response_body::feed(std::span<const char> bytes) {
  h1_body_step step;
  switch (framing_) {
    case response_framing::none: break;
    case response_framing::chunked:
      step = chunked_.feed(bytes);
      done_ = step.event == h1_body_event::done;
      return step;
    case response_framing::until_close:
      step.consumed = bytes.size();
      step.data = bytes;
      step.event = bytes.empty() ? h1_body_event::need_more : h1_body_event::data;
      return step;
    case response_framing::length:
      step.consumed = static_cast<size_t>(std::min<uint64_t>(bytes.size(), remaining_));
      step.data = bytes.first(step.consumed);
      remaining_ -= step.consumed;
      if (step.consumed > 0) {
        step.event = h1_body_event::data;
        return step;
      }
      if (remaining_ > 0)
        return step;
  }
  done_ = true;
  step.event = h1_body_event::done;
  return step;
}

} // namespace caf_app::http

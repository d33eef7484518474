#include "actors/http/h1_request.hpp"

#include <algorithm>
#include <cstring>

#include "caf_app/base/assert.hpp"

#include "actors/http/host.hpp"
#include "actors/http/scan.hpp"

namespace caf_app::http {

namespace {

constexpr char tls_handshake_record = 0x16; // RFC 8446 §5.1
constexpr size_t empty_line_bytes = 2;
constexpr size_t version_bytes = 10; // "HTTP/1.1\r\n"

// CR and LF in the wrong place have one reason, wherever in a head they are.
fault bad_byte(char c, fault otherwise) noexcept {
  return c == '\r' || c == '\n' ? fault::request_line : otherwise;
}

} // namespace

h1_request_parser::result h1_request_parser::feed(std::span<const char> bytes) {
  CAF_APP_ASSERT(phase_ != phase::done && error_ == fault::none);
  const auto before = buffer_.size();
  const auto* begin = bytes.data();
  const auto* end = begin + bytes.size();
  if (before != 0) {
    append_to_buffer(bytes);
    begin = buffer_.data();
    end = begin + buffer_.size();
  }
  base_ = begin + head_begin_;
  if ((phase_ != phase::start || start(end)) && read_head(end)) {
    const auto head_end = static_cast<size_t>(base_ - begin) + position_;
    return {head_end - before, h1_event::head};
  }
  if (error_ != fault::none)
    return {bytes.size(), h1_event::error};
  if (base_ == end) {
    buffer_.clear();
    head_begin_ = 0;
  } else if (before == 0) {
    buffer_.assign(base_, end);
    rebase(base_, buffer_.size(), buffer_.data());
    head_begin_ = 0;
  }
  return {bytes.size(), h1_event::need_more};
}

// Skips one empty line and looks at the first byte of the request line.
bool h1_request_parser::start(const char* end) {
  if (base_ == end)
    return false;
  if (*base_ == '\r' && !skipped_empty_line_) {
    if (base_ + 1 == end)
      return false;
    if (base_[1] != '\n')
      return fail(fault::request_line);
    skipped_empty_line_ = true;
    base_ += empty_line_bytes;
    head_begin_ += empty_line_bytes;
    if (base_ == end)
      return false;
  }
  if (!scan::is(*base_, scan::tchar))
    return fail(*base_ == tls_handshake_record ? fault::tls_mismatch : fault::request_line);
  phase_ = phase::method;
  return true;
}

bool h1_request_parser::read_head(const char* end) {
  const auto too_long = static_cast<size_t>(end - base_) > limits_.max_header_bytes;
  if (too_long)
    end = base_ + limits_.max_header_bytes;
  if (phase_ < phase::line_start && !read_request_line(end))
    return too_long && error_ == fault::none ? fail(fault::head_size) : false;
  if (!read_fields(end))
    return too_long && error_ == fault::none ? fail(fault::head_size) : false;
  return finish_head();
}

bool h1_request_parser::read_request_line(const char* end) {
  if (phase_ == phase::method) {
    const auto* at = scan::skip(base_ + position_, end, scan::tchar);
    position_ = static_cast<size_t>(at - base_);
    if (at == end)
      return false;
    if (*at != ' ')
      return fail(fault::request_line);
    request_.method_text = {base_, position_};
    request_.method = parse_method(request_.method_text);
    mark_ = ++position_;
    phase_ = phase::target;
  }
  if (phase_ == phase::target && !read_target(end))
    return false;
  return read_version(end);
}

bool h1_request_parser::read_target(const char* end) {
  const auto* first = base_ + mark_;
  const auto room = std::min(static_cast<size_t>(end - first), limits_.max_target);
  const auto* at = scan::skip(base_ + position_, first + room, scan::target);
  position_ = static_cast<size_t>(at - base_);
  if (at == end)
    return false;
  if (*at != ' ') // a good byte is one too many
    return fail(scan::is(*at, scan::target) ? fault::target_size : bad_byte(*at, fault::target));
  if (at == first)
    return fail(fault::request_line);
  request_.target = {first, position_ - mark_};
  mark_ = ++position_;
  phase_ = phase::version;
  return true;
}

bool h1_request_parser::read_version(const char* end) {
  const auto* text = base_ + mark_;
  if (static_cast<size_t>(end - text) < version_bytes) {
    if (std::find(text, end, '\n') != end)
      return fail(fault::request_line);
    return false;
  }
  if (std::memcmp(text, "HTTP/", 5) != 0 || !scan::is_digit(text[5]) || text[6] != '.' ||
      !scan::is_digit(text[7]) || text[8] != '\r' || text[9] != '\n')
    return fail(fault::request_line);
  if (text[5] != '1')
    return fail(fault::version);
  request_.minor_version = text[7] == '0' ? 0 : 1;
  const auto parts = parse_target(request_.method, request_.target);
  if (!parts)
    return fail(fault::target);
  request_.parts = *parts;
  position_ += version_bytes;
  phase_ = phase::line_start;
  return true;
}

bool h1_request_parser::read_fields(const char* end) {
  const auto* at = base_ + position_;
  const auto stop = [&] { // for the next slice
    position_ = static_cast<size_t>(at - base_);
    return false;
  };
  for (;;) {
    switch (phase_) {
      case phase::line_start:
        if (at == end || (*at == '\r' && at + 1 == end))
          return stop();
        if (*at == '\r' && at[1] == '\n') {
          position_ = static_cast<size_t>(at - base_) + empty_line_bytes;
          phase_ = phase::done;
          return true;
        }
        if (request_.fields.size() == limits_.max_headers)
          return fail(fault::head_size);
        name_begin_ = static_cast<size_t>(at - base_);
        phase_ = phase::name;
        [[fallthrough]];
      case phase::name:
        at = scan::skip(at, end, scan::tchar);
        if (at == end)
          return stop();
        name_end_ = static_cast<size_t>(at - base_);
        if (*at != ':' || name_end_ == name_begin_)
          return fail(bad_byte(*at, fault::field));
        ++at;
        phase_ = phase::blanks;
        [[fallthrough]];
      case phase::blanks:
        while (at != end && scan::is_blank(*at))
          ++at;
        if (at == end)
          return stop();
        mark_ = static_cast<size_t>(at - base_);
        phase_ = phase::value;
        [[fallthrough]];
      default: // value
        at = scan::find_control(at, end);
        if (at == end || (*at == '\r' && at + 1 == end))
          return stop();
        if (*at != '\r' || at[1] != '\n')
          return fail(bad_byte(*at, fault::field));
        add_field(at);
        at += empty_line_bytes;
        phase_ = phase::line_start;
    }
  }
}

// The value ends before `end`, but for trailing blanks.
void h1_request_parser::add_field(const char* end) {
  const auto* begin = base_ + mark_;
  while (end != begin && scan::is_blank(end[-1]))
    --end;
  field line;
  line.name = {base_ + name_begin_, name_end_ - name_begin_};
  line.value = {begin, static_cast<size_t>(end - begin)};
  line.id = find_known_field(line.name);
  request_.fields.push_back(line);
}

bool h1_request_parser::finish_head() {
  if (const auto error = finish_host(); error != fault::none)
    return fail(error);
  const auto& fields = request_.fields;
  const auto minor = request_.minor_version;
  const auto framing = find_framing(fields, minor);
  if (framing.error != fault::none)
    return fail(framing.error);
  request_.framing = framing.framing;
  request_.content_length = framing.length;
  request_.keep_alive = wants_keep_alive(fields, minor);
  request_.expect = find_expectation(fields, minor, framing);
  return true;
}

// The authority of the target goes first, but Host must be valid still. RFC 9112 §3.2
fault h1_request_parser::finish_host() {
  if (request_.fields.has(known_field::host)) {
    if (request_.fields.is_repeated(known_field::host) ||
        !named_.read(request_.fields.first(known_field::host)))
      return fault::host;
  } else if (request_.minor_version != 0) {
    return fault::host;
  } else if (request_.parts.authority.empty()) {
    return fault::none;
  }
  if (!request_.parts.authority.empty())
    if (!named_.read(request_.parts.authority) ||
        (request_.method == method::connect && !named_.port))
      return fault::target;
  request_.host = named_.host;
  request_.port = named_.port;
  return fault::none;
}

bool h1_request_parser::named_host::read(std::string_view value) {
  if (!value.empty() && value == text)
    return true;
  const auto found = parse_authority(value);
  if (!found)
    return false;
  text.clear(); // in case that memory runs out on the way
  host = found->host;
  for (auto& c : host)
    c = to_lower(c);
  port = found->port;
  text = value;
  return true;
}

} // namespace caf_app::http

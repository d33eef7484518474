#include "actors/http/h1_chunked.hpp"

#include <algorithm>

#include "actors/http/field.hpp"
#include "actors/http/scan.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

namespace {

constexpr int size_digits_max = 16;

} // namespace

h1_body_step h1_chunked::feed(std::span<const char> bytes) {
  h1_body_step step;
  while (phase_ != phase::done && step.consumed < bytes.size()) {
    if (phase_ == phase::data) {
      const auto room = bytes.size() - step.consumed;
      const auto size = static_cast<size_t>(std::min<uint64_t>(room, remaining_));
      step.data = bytes.subspan(step.consumed, size);
      step.consumed += size;
      step.event = h1_body_event::data;
      received_ += size;
      remaining_ -= size;
      if (remaining_ == 0)
        phase_ = phase::data_cr;
      return step;
    }
    step.error = on_byte(bytes[step.consumed++]);
    if (step.error != fault::none) {
      step.event = h1_body_event::error;
      return step;
    }
  }
  if (phase_ == phase::done)
    step.event = h1_body_event::done;
  return step;
}

fault h1_chunked::on_byte(char c) {
  switch (phase_) {
    case phase::size: return on_size(c);
    case phase::size_lf: return c == '\n' ? on_size_end() : fault::chunk;
    case phase::data_cr: phase_ = phase::data_lf; return c == '\r' ? fault::none : fault::chunk;
    case phase::data_lf: phase_ = phase::size; return c == '\n' ? fault::none : fault::chunk;
    case phase::trailer: return on_trailer(c);
    default:
      if (++extension_bytes_ > limits_.max_chunk_extensions)
        return fault::chunk;
      return on_extension(c);
  }
}

fault h1_chunked::on_size(char c) {
  if (const auto digit = hex_value(c); digit >= 0) {
    if (++digits_ > size_digits_max || remaining_ > (INT64_MAX >> 4))
      return fault::chunk;
    remaining_ = remaining_ * 16 + static_cast<uint64_t>(digit);
    return fault::none;
  }
  if (digits_ == 0)
    return fault::chunk;
  if (c == ';')
    phase_ = phase::extension_start;
  else if (c == '\r')
    phase_ = phase::size_lf;
  else
    return fault::chunk;
  return fault::none;
}

// ";" name ["=" value]: blanks are bad but legal after ';' and around '='. RFC 9112 §7.1.1
fault h1_chunked::on_extension(char c) {
  const bool is_end = c == ';' || c == '\r';
  const auto go = [&](phase next) {
    phase_ = next;
    return fault::none;
  };
  const auto end = [&] { return go(c == ';' ? phase::extension_start : phase::size_lf); };
  switch (phase_) {
    case phase::extension_start:
      if (scan::is_blank(c))
        return fault::none;
      return scan::is(c, scan::tchar) ? go(phase::extension_name) : fault::chunk;
    case phase::extension_name:
      if (scan::is(c, scan::tchar))
        return fault::none;
      if (scan::is_blank(c))
        return go(phase::extension_name_blank);
      [[fallthrough]];
    case phase::extension_name_blank:
      if (c == '=')
        return go(phase::extension_value_start);
      if (phase_ == phase::extension_name && is_end)
        return end();
      return scan::is_blank(c) ? fault::none : fault::chunk;
    case phase::extension_value_start:
      if (scan::is_blank(c))
        return fault::none;
      if (c == '"')
        return go(phase::extension_quoted);
      return scan::is(c, scan::tchar) ? go(phase::extension_token) : fault::chunk;
    case phase::extension_token:
      if (scan::is(c, scan::tchar))
        return fault::none;
      return is_end ? end() : fault::chunk;
    case phase::extension_quoted:
      if (c == '"')
        return go(phase::extension_end);
      if (c == '\\')
        return go(phase::extension_escape);
      return scan::is_control(c) ? fault::chunk : fault::none;
    case phase::extension_escape:
      return scan::is_control(c) ? fault::chunk : go(phase::extension_quoted);
    default: return is_end ? end() : fault::chunk; // extension_end
  }
}

fault h1_chunked::on_size_end() {
  digits_ = 0;
  phase_ = remaining_ == 0 ? phase::trailer : phase::data;
  if (received_ > limits_.max_body || remaining_ > limits_.max_body - received_)
    return fault::body_size;
  return fault::none;
}

fault h1_chunked::on_trailer(char c) {
  if (++trailer_bytes_ > limits_.max_trailer_bytes)
    return fault::head_size;
  const bool after_cr = !line_.empty() && line_.back() == '\r';
  if (after_cr != (c == '\n'))
    return fault::chunk;
  if (!after_cr) {
    line_ += c;
    return fault::none;
  }
  line_.pop_back();
  if (line_.empty()) {
    phase_ = phase::done;
    return fault::none;
  }
  return finish_trailer();
}

fault h1_chunked::finish_trailer() {
  if (++trailer_count_ > limits_.max_trailers)
    return fault::head_size;
  const std::string_view line{line_};
  const auto colon = line.find(':');
  if (colon == std::string_view::npos)
    return fault::chunk;
  const auto name = line.substr(0, colon);
  const auto value = trim_blanks(line.substr(colon + 1));
  if (!is_token(name) || !is_field_value(value))
    return fault::chunk;
  if (is_allowed_trailer(name))
    trailers_.push_back({to_lower(name), std::string{value}});
  line_.clear();
  return fault::none;
}

bool is_allowed_trailer(std::string_view name) noexcept {
  constexpr std::string_view forbidden[] = {// framing and connection
                                            "connection", "keep-alive", "proxy-connection", "te",
                                            "trailer", "transfer-encoding", "upgrade",
                                            // routing
                                            "forwarded", "host", "max-forwards", "request-timeout",
                                            "via",
                                            // authentication
                                            "authorization", "cookie", "proxy-authenticate",
                                            "proxy-authorization", "set-cookie", "www-authenticate",
                                            // controls and preconditions
                                            "cache-control", "expect", "pragma", "range"};
  constexpr std::string_view forbidden_prefixes[] = {"content-", "if-", "x-forwarded-"};
  const auto matches = [&](std::string_view other) { return equals_ignoring_case(name, other); };
  const auto begins = [&](std::string_view other) {
    return equals_ignoring_case(name.substr(0, other.size()), other);
  };
  return std::none_of(std::begin(forbidden), std::end(forbidden), matches) &&
         std::none_of(std::begin(forbidden_prefixes), std::end(forbidden_prefixes), begins);
}

} // namespace caf_app::http

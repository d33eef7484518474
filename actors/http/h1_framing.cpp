#include "actors/http/h1_framing.hpp"

namespace caf_app::http {

namespace {

// Is it a coding as `token *( ";" parameter )`? Only its shape matters, for it is refused anyway.
bool is_coding(std::string_view text) noexcept {
  return is_token(trim_blanks(text.substr(0, text.find(';')))) && is_field_value(text);
}

// One word `chunked` is what we read. Well-formed codings before it are a request that we do not
// implement; everything else has no reliable end (RFC 9112 §6.3, item 4).
fault check_codings(std::string_view value) noexcept {
  if (equals_ignoring_case(value, "chunked"))
    return fault::none;
  size_t count = 0;
  for (;;) {
    const auto length = value.find(',');
    const auto coding = trim_blanks(value.substr(0, length));
    const bool is_chunked = equals_ignoring_case(coding, "chunked");
    const bool last = length == std::string_view::npos;
    if (is_chunked != last || !is_coding(coding) || equals_ignoring_case(coding, "identity"))
      return fault::transfer_encoding;
    ++count;
    if (last)
      return count > 1 ? fault::transfer_coding : fault::transfer_encoding;
    value.remove_prefix(length + 1);
  }
}

} // namespace

h1_framing_result find_framing(const field_list& fields, uint8_t minor_version) noexcept {
  const bool has_length = fields.has(known_field::content_length);
  if (fields.has(known_field::transfer_encoding)) {
    if (has_length || minor_version == 0 || fields.is_repeated(known_field::transfer_encoding))
      return {fault::transfer_encoding};
    return {check_codings(fields.first(known_field::transfer_encoding)), h1_framing::chunked};
  }
  if (!has_length)
    return {};
  const auto length = parse_length(fields.first(known_field::content_length));
  if (!length || fields.is_repeated(known_field::content_length))
    return {fault::content_length};
  return {fault::none, h1_framing::length, *length};
}

bool wants_keep_alive(const field_list& fields, uint8_t minor_version) noexcept {
  if (!fields.has(known_field::connection))
    return minor_version != 0;
  if (fields.has_token(known_field::connection, "close"))
    return false;
  return minor_version != 0 || fields.has_token(known_field::connection, "keep-alive");
}

h1_expect find_expectation(const field_list& fields, uint8_t minor_version,
                           const h1_framing_result& framing) noexcept {
  if (!fields.has(known_field::expect))
    return h1_expect::nothing;
  for (const auto& line : fields)
    if (line.id == known_field::expect && !equals_ignoring_case(line.value, "100-continue"))
      return h1_expect::other;
  const bool has_body = framing.framing == h1_framing::chunked ||
                        (framing.framing == h1_framing::length && framing.length != 0);
  return minor_version != 0 && has_body ? h1_expect::continue_ : h1_expect::nothing;
}

} // namespace caf_app::http

// The grammars of single values: dates, lists, authorities, lengths. Whatever is read must survive
// being written and read again.
#include <algorithm>
#include <string>
#include <string_view>

#include "caf_app/base/assert.hpp"

#include "actors/http/field.hpp"
#include "actors/http/host.hpp"
#include "actors/http/http_date.hpp"

using namespace caf_app::http;

namespace {

constexpr int64_t now = 1700000000;

void check_date(std::string_view text) {
  const auto seconds = parse_http_date(text, now);
  if (!seconds)
    return;
  const auto written = format_http_date(*seconds);
  CAF_APP_ASSERT(parse_http_date(to_string_view(written), now) == seconds);
}

// Elements are trimmed, not empty, in order and within the list.
void check_list(std::string_view text) {
  const auto* at = text.data();
  auto rest = text;
  while (const auto element = next_list_element(rest)) {
    CAF_APP_ASSERT(!element->empty() && trim_blanks(*element) == *element);
    CAF_APP_ASSERT(element->data() >= at);
    at = element->data() + element->size();
    CAF_APP_ASSERT(at <= text.data() + text.size());
  }
  CAF_APP_ASSERT(rest.empty());
}

void check_authority(std::string_view text) {
  const auto parts = parse_authority(text);
  if (!parts)
    return;
  std::string scratch;
  const std::string host{fold_host(*parts, scratch)};
  CAF_APP_ASSERT(!host.empty() && host.size() <= host_bytes_max && host.back() != '.');
  CAF_APP_ASSERT(
      std::none_of(host.begin(), host.end(), [](char c) { return c >= 'A' && c <= 'Z'; }));
  const auto again = parse_authority(host);
  CAF_APP_ASSERT(again && again->host == host && !again->port && !again->has_upper);
}

void check_length(std::string_view text) {
  const auto length = parse_length(text);
  if (length)
    CAF_APP_ASSERT(parse_length(std::to_string(*length)) == length && *length <= INT64_MAX);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  check_date(text);
  check_list(text);
  check_authority(text);
  check_length(text);
  CAF_APP_ASSERT(find_known_field(text) == find_known_field(to_lower(text)));
  return 0;
}

#include "actors/http/cache_answer.hpp"

#include <algorithm>
#include <array>

#include "actors/http/conditional.hpp"
#include "actors/http/file_request.hpp"
#include "actors/http/http_date.hpp"
#include "actors/http/ranges.hpp"

namespace caf_app::http {

namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

// Hex digits that the content does not hold by chance, and no client can know in advance: RFC 2046
// §5.1.1
std::string boundary_for(const cache_entry& entry, steady::time_point now) {
  auto x =
      static_cast<uint64_t>(now.time_since_epoch().count()) ^ reinterpret_cast<uintptr_t>(&entry);
  std::string result;
  for (int i = 0; i < 24; ++i) {
    x ^= x << 13; // Marsaglia's xorshift
    x ^= x >> 7;
    x ^= x << 17;
    result += "0123456789abcdef"[x & 15];
  }
  return result;
}

std::optional<sys_seconds> read_date(const std::optional<std::string_view>& value, int64_t wall) {
  const auto read = value ? parse_http_date(*value, wall) : std::nullopt;
  return read ? std::optional{sys_seconds{seconds{*read}}} : std::nullopt;
}

// RFC 9110 §15.4.5
bool belongs_to_304(const field& line) {
  switch (line.id) {
    case known_field::etag:
    case known_field::vary:
    case known_field::cache_control:
    case known_field::date:
    case known_field::last_modified: return true;
    default:
      return equals_ignoring_case(line.name, "expires") ||
             equals_ignoring_case(line.name, "content-location") ||
             equals_ignoring_case(line.name, "age") ||
             equals_ignoring_case(line.name, "cache-status");
  }
}

class answerer {
public:
  answerer(exchange& open, const cache_entry& entry, const static_request& asked, int64_t wall)
      : open_(open), entry_(entry), asked_(asked),
        wall_(wall), validators_{entry.etag,
                                 entry.last_modified
                                     ? std::optional{sys_seconds{seconds{*entry.last_modified}}}
                                     : std::nullopt} {}

  void run(const response& whole, steady::time_point now) {
    // If-Match and If-Unmodified-Since do not come here: only the origin can tell.
    const preconditions conditions{
        {}, asked_.if_none_match, read_date(asked_.if_modified_since, wall_), {}};
    const auto now_wall = sys_seconds{seconds{wall_}};
    if (evaluate(conditions, validators_, asked_.method, now_wall) ==
        precondition_result::not_modified)
      return not_modified(whole);
    const auto wanted = wanted_ranges();
    if (wanted.outcome == range_outcome::unsatisfiable)
      return unsatisfied();
    if (wanted.ranges.empty())
      return open_.respond(whole);
    if (wanted.ranges.size() == 1)
      return respond_part(whole, wanted.ranges.front());
    respond_parts(whole, wanted.ranges, now);
  }

private:
  range_selection wanted_ranges() const {
    if (!asked_.range || asked_.method != method::get)
      return {};
    const auto now = sys_seconds{seconds{wall_}};
    if (asked_.if_range &&
        !if_range_holds(*asked_.if_range, read_date(asked_.if_range, wall_), validators_, now))
      return {};
    return select_ranges(*asked_.range, entry_.body->size());
  }

  void not_modified(const response& whole) {
    std::vector<field> lines;
    for (const auto& line : whole.fields)
      if (belongs_to_304(line))
        lines.push_back(line);
    open_.respond({304, {}, lines, {}, response_source::origin});
  }

  void unsatisfied() {
    const auto range = unsatisfied_range(entry_.body->size());
    const field line{"Content-Range", range, known_field::other};
    open_.respond_status(416, {&line, 1});
  }

  void respond_part(const response& whole, const byte_range& part) {
    const auto range = content_range(part, entry_.body->size());
    std::vector<field> lines{whole.fields.begin(), whole.fields.end()};
    lines.push_back({"Content-Range", range, known_field::other});
    open_.respond({206, whole.content_type, lines,
                   std::string_view{*entry_.body}.substr(part.first, part.size()),
                   response_source::origin});
  }

  void respond_parts(const response& whole, const std::vector<byte_range>& ranges,
                     steady::time_point now) {
    const auto boundary = boundary_for(entry_, now);
    const multipart_body body{ranges, entry_.body->size(), whole.content_type, boundary};
    std::string content;
    content.reserve(body.size);
    for (const auto& part : body.parts) {
      content += part.head;
      content.append(*entry_.body, part.range.first, part.range.size());
    }
    content += body.tail;
    const auto type = "multipart/byteranges; boundary=" + boundary;
    open_.respond({206, type, whole.fields, content, response_source::origin});
  }

  exchange& open_;
  const cache_entry& entry_;
  const static_request& asked_;
  int64_t wall_;
  validators validators_;
};

bool is_plain(const field_list& asked) {
  constexpr std::array special{known_field::range, known_field::if_none_match,
                               known_field::if_modified_since};
  return std::none_of(special.begin(), special.end(),
                      [&](known_field id) { return asked.has(id); });
}

} // namespace

response head_of(const cache_entry& entry, std::string_view age, std::string_view status,
                 std::vector<field>& lines) {
  lines.reserve(entry.fields.size() + 3); // one more for Content-Range
  for (const auto& line : entry.fields)
    lines.push_back(line.view());
  if (!age.empty())
    lines.push_back({"Age", age, known_field::other});
  lines.push_back({"Cache-Status", status, known_field::other});
  return {entry.status, entry.content_type, lines, {}, response_source::origin};
}

void answer_with(exchange& open, const cache_entry& entry, method what, const field_list& asked,
                 const cache_status& status, steady::time_point now, int64_t wall) {
  std::vector<field> lines;
  const auto age = std::to_string(entry.age(now).count());
  const auto text = to_string(status);
  auto whole = head_of(entry, age, text, lines);
  whole.body = *entry.body;
  if (entry.status != 200 || is_plain(asked))
    return open.respond(whole);
  const file_request request{what, asked};
  answerer{open, entry, request.view(), wall}.run(whole, now);
}

} // namespace caf_app::http

#include "actors/http/file_answer_handler.hpp"

#include <array>

#include "actors/http/compressor.hpp"
#include "actors/http/file_finder_handler.hpp"
#include "actors/http/site_table.hpp"
#include "actors/http/file_limits.hpp"
#include "caf_app/base/time.hpp"

namespace caf_app::http {

namespace {

size_t number(coding which) { return static_cast<size_t>(which); }

// Splitmix64 of what a client cannot know in advance.
std::string make_boundary(const exchange& open, const file_entry& entry) {
  constexpr auto digits = "0123456789abcdef";
  auto state = open.id() ^ entry.forms.front().inode ^
               static_cast<uint64_t>(wall_now().time_since_epoch().count());
  std::string result;
  for (int i = 0; i < 2; ++i) {
    auto z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    for (int digit = 0; digit < 16; ++digit, z >>= 4)
      result += digits[z & 15];
  }
  return result;
}

class answer {
public:
  answer(exchange& open, file_entry& entry, const static_request& request,
         const file_answer_options& options, std::chrono::sys_seconds now)
      : open_(open), entry_(entry), request_(request), options_(options), now_(now),
        boundary_(request.range ? make_boundary(open, entry) : "") {}

  file_result run(bool last) {
    static_resource resource{entry_.forms.front().facts, entry_.type, {}};
    for (size_t i = 1; i < entry_.forms.size(); ++i)
      resource.siblings.push_back(entry_.forms[i].facts);
    plan_ = plan_static(request_, resource, {options_.codings, options_.max_age, boundary_, now_});
    const auto sends = plan_.status == 200 || plan_.status == 206;
    if (sends && plan_.applied != coding::identity && !entry_.coded[number(plan_.applied)])
      return {file_step::code, plan_.applied};
    if (sends && !last && from_file() && !is_unchanged(form()))
      return {file_step::reopen, coding::identity};
    for (const auto& line : plan_.fields)
      fields_.push_back({line.name, line.value});
    if (options_.headers)
      add_missing(fields_, *options_.headers);
    if (sends)
      send();
    else if (plan_.status == 304)
      open_.respond({304, {}, fields_, {}});
    else
      open_.respond_status(static_cast<uint16_t>(plan_.status), fields_);
    return {};
  }

private:
  const file_form& form() const { return entry_.form(plan_.source); }

  bool from_file() const { return plan_.applied == coding::identity && !form().content; }

  void send() {
    const response head{static_cast<uint16_t>(plan_.status), {}, fields_, {}};
    if (plan_.applied != coding::identity)
      send_bytes(head, *entry_.coded[number(plan_.applied)]);
    else if (plan_.status == 200 && form().content)
      send_bytes(head, *form().content);
    else
      send_parts(head);
  }

  void send_bytes(response head, std::string_view body) {
    head.body = body;
    if (!prepare(head))
      open_.respond(head);
  }

  // What a plain request gets is the same until the file changes.
  bool prepare(const response& head) {
    const auto changed = std::chrono::nanoseconds{form().facts.mtime_ns};
    if (request_.if_match || request_.if_none_match || request_.if_modified_since ||
        request_.if_unmodified_since || request_.range || changed > now_.time_since_epoch() ||
        head.body.size() > limits::http::file_memory_bytes)
      return false;
    const auto sent = plan_.applied == coding::identity ? plan_.source : plan_.applied;
    auto& place = entry_.simple[number(sent)];
    if (!place)
      place = fixed_response::make(head, options_.server);
    if (!place)
      return false;
    entry_.accepted = request_.accept_encoding;
    entry_.accepted_form = sent;
    open_.respond(*place);
    return true;
  }

  void send_parts(const response& head) {
    const auto& from = form();
    std::vector<content_part> parts;
    for (auto& part : plan_.parts) {
      auto& next = parts.emplace_back();
      next.bytes = std::move(part.head);
      if (from.content) {
        next.bytes.append(*from.content, part.range.first, part.range.size());
      } else {
        next.file = from.file;
        next.offset = part.range.first;
        next.length = part.range.size();
      }
    }
    if (!plan_.tail.empty())
      parts.emplace_back().bytes = std::move(plan_.tail);
    if (request_.method == method::head) // only its length counts
      parts.push_back({{}, from.file, 0, plan_.length.value_or(0)});
    open_.respond(head, std::move(parts));
  }

  exchange& open_;
  file_entry& entry_;
  const static_request& request_;
  const file_answer_options& options_;
  std::chrono::sys_seconds now_;
  std::string boundary_;
  static_plan plan_;
  std::vector<field> fields_;
};

} // namespace

file_result answer_file(exchange& open, file_entry& entry, const static_request& request,
                        const file_answer_options& options, std::chrono::sys_seconds now,
                        bool last) {
  return answer{open, entry, request, options, now}.run(last);
}

bool answer_simple(exchange& open, const file_entry& entry, const file_request& request) {
  const auto& prepared = entry.simple[number(entry.accepted_form)];
  if (!prepared || !request.is_simple() || request.view().accept_encoding != entry.accepted)
    return false;
  open.respond(*prepared);
  return true;
}

shared_content compress(coding which, std::string_view content) {
  auto coder = make_compressor(which, {}, content.size());
  auto result = std::make_shared<std::string>();
  if (!coder || !(*coder)->write(content, *result) || !(*coder)->finish(*result))
    return nullptr;
  result->shrink_to_fit();
  return result;
}

} // namespace caf_app::http

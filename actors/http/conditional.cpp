#include "actors/http/conditional.hpp"

#include "actors/http/etag.hpp"

namespace caf_app::http {

namespace {

using matcher = bool (*)(const entity_tag&, const entity_tag&);

bool matches_one(std::string_view value, std::string_view etag, matcher match) {
  entity_tag_list list{value};
  if (list.any())
    return true; // the representation exists
  const auto current = parse_entity_tag(etag);
  if (!current)
    return false;
  while (const auto asked = list.next())
    if (match(*asked, *current))
      return true;
  return false;
}

} // namespace

precondition_result evaluate(const preconditions& asked, const validators& current, method what,
                             std::chrono::sys_seconds now) {
  const auto& modified = current.last_modified;
  if (asked.if_match) {
    if (!matches_one(*asked.if_match, current.etag, strong_match))
      return precondition_result::failed;
  } else if (asked.if_unmodified_since && modified && *modified > *asked.if_unmodified_since) {
    return precondition_result::failed;
  }
  const auto reads = what == method::get || what == method::head;
  if (asked.if_none_match) {
    if (matches_one(*asked.if_none_match, current.etag, weak_match))
      return reads ? precondition_result::not_modified : precondition_result::failed;
  } else if (const auto& since = asked.if_modified_since; reads && since && modified) {
    if (*since <= now && *modified <= *since)
      return precondition_result::not_modified;
  }
  return precondition_result::proceed;
}

bool if_range_holds(std::string_view value, std::optional<std::chrono::sys_seconds> date,
                    const validators& current, std::chrono::sys_seconds now) {
  if (date) // exact, and old enough that a second write in the same second would show
    return current.last_modified == date && now - *date >= std::chrono::seconds{1};
  const auto asked = parse_entity_tag(value);
  const auto tag = parse_entity_tag(current.etag);
  return asked && tag && strong_match(*asked, *tag);
}

} // namespace caf_app::http

// A conditional request as the handler of plain answers sees it: it knows the tags of the plain
// form only.
#pragma once

#include <string>

#include "actors/http/etag.hpp"
#include "actors/http/exchange.hpp"
#include "actors/http/file_request.hpp"

namespace caf_app::http {

struct uncoded_request {
  /// Views `request` in all but If-None-Match, which it has.
  uncoded_request(const request_view& request, coding which)
      : asked(joined(*request.fields, known_field::if_none_match)),
        tags(with_uncoded_tags(asked, to_string(which))), view(request) {
    for (const auto& line : *request.fields)
      if (line.id != known_field::if_none_match)
        fields.push_back(line);
    fields.push_back({"If-None-Match", tags, known_field::if_none_match});
    view.fields = &fields;
  }

  uncoded_request(const uncoded_request&) = delete;
  uncoded_request& operator=(const uncoded_request&) = delete;

  std::string asked; ///< If-None-Match of the client
  std::string tags;  ///< the same with uncoded tags
  field_list fields; ///< of `view`
  request_view view; ///< for the handler
};

} // namespace caf_app::http

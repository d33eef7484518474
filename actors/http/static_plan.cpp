#include "actors/http/static_plan.hpp"

#include <algorithm>

#include "actors/http/conditional.hpp"
#include "actors/http/etag.hpp"
#include "actors/http/http_date.hpp"

namespace caf_app::http {

namespace {

using std::chrono::sys_seconds;

// The form to send, with its validators.
struct selected {
  static_file source;
  coding applied = coding::identity;
  std::string etag;
  sys_seconds last_modified;

  coding sent_as() const { return applied == coding::identity ? source.form : applied; }
};

// What the client may get, preferred first.
struct candidates {
  std::vector<static_file> siblings;
  bool on_the_fly = false; // for this request
  bool varies = false;     // for any request
};

candidates find_candidates(const static_request& request, const static_resource& resource,
                           const static_options& options) {
  candidates result;
  for (const auto& each : resource.siblings)
    if (each.mtime_ns >= resource.file.mtime_ns)
      result.siblings.push_back(each);
  codable_response response;
  response.type = resource.type;
  response.size = resource.file.size;
  const auto codable = options.codings == coding_mode::on_the_fly && codable_on_the_fly(response);
  result.on_the_fly = codable && !request.range;
  result.varies = codable || !result.siblings.empty();
  return result;
}

std::optional<sys_seconds> read_date(const std::optional<std::string_view>& value,
                                     sys_seconds now) {
  const auto seconds =
      value ? parse_http_date(*value, now.time_since_epoch().count()) : std::nullopt;
  return seconds ? std::optional{sys_seconds{std::chrono::seconds{*seconds}}} : std::nullopt;
}

// nullopt: nothing that the client accepts.
std::optional<selected> select_form(const static_request& request, const static_resource& resource,
                                    const candidates& found, sys_seconds now) {
  std::vector<coding> available;
  for (const auto& each : found.siblings)
    available.push_back(each.form);
  if (found.on_the_fly)
    for (const auto each : codings)
      if (std::find(available.begin(), available.end(), each) == available.end())
        available.push_back(each);
  const auto chosen = choose_coding(accepted_codings{request.accept_encoding}, available);
  if (!chosen)
    return std::nullopt;
  selected result;
  const auto sibling = std::find_if(found.siblings.begin(), found.siblings.end(),
                                    [&](const static_file& each) { return each.form == *chosen; });
  result.source = sibling == found.siblings.end() ? resource.file : *sibling;
  const auto form = result.source.form;
  result.etag = file_etag(result.source.mtime_ns, result.source.size,
                          form == coding::identity ? "" : to_string(form));
  if (form != *chosen) {
    result.applied = *chosen;
    result.etag = coded_etag(result.etag, to_string(*chosen));
  }
  const auto written = sys_seconds{
      std::chrono::floor<std::chrono::seconds>(std::chrono::nanoseconds{result.source.mtime_ns})};
  result.last_modified = std::min(written, now); // RFC 9110 §8.8.2.1
  return result;
}

// The ranges to send; ignored if the whole form is to be sent.
range_selection wanted_ranges(const static_request& request, const selected& form,
                              const validators& current, sys_seconds now) {
  if (!request.range || request.method != method::get)
    return {};
  if (request.if_range &&
      !if_range_holds(*request.if_range, read_date(request.if_range, now), current, now))
    return {};
  auto result = select_ranges(*request.range, form.source.size);
  // There is no place for the coding of parts: Content-Encoding would be read as that of the
  // multipart body.
  if (result.ranges.size() > 1 && form.source.form != coding::identity)
    return {};
  return result;
}

class planner {
public:
  planner(const static_request& request, const static_resource& resource,
          const static_options& options)
      : request_(request), resource_(resource), options_(options) {}

  static_plan run() {
    const auto found = find_candidates(request_, resource_, options_);
    if (found.varies)
      add("vary", "Accept-Encoding");
    const auto form = select_form(request_, resource_, found, options_.now);
    if (!form)
      return refuse(406);
    const validators current{form->etag, form->last_modified};
    const preconditions asked{request_.if_match, request_.if_none_match,
                              read_date(request_.if_modified_since, options_.now),
                              read_date(request_.if_unmodified_since, options_.now)};
    switch (evaluate(asked, current, request_.method, options_.now)) {
      case precondition_result::failed: return refuse(412);
      case precondition_result::not_modified: return not_modified(*form);
      case precondition_result::proceed: break;
    }
    const auto wanted = wanted_ranges(request_, *form, current, options_.now);
    if (wanted.outcome == range_outcome::unsatisfiable) {
      add("accept-ranges", "bytes");
      add("content-range", unsatisfied_range(form->source.size));
      return refuse(416);
    }
    send(*form, wanted);
    return std::move(plan_);
  }

private:
  void add(std::string name, std::string value) {
    plan_.fields.push_back({std::move(name), std::move(value)});
  }

  static_plan refuse(int status) {
    plan_.status = status;
    plan_.length = 0;
    return std::move(plan_);
  }

  void add_cache_fields(const selected& form) {
    add("etag", form.etag);
    if (options_.max_age)
      add("cache-control", "max-age=" + std::to_string(options_.max_age->count()));
  }

  static_plan not_modified(const selected& form) {
    add_cache_fields(form);
    plan_.status = 304;
    return std::move(plan_);
  }

  void send(const selected& form, const range_selection& wanted) {
    plan_.source = form.source.form;
    plan_.applied = form.applied;
    add_cache_fields(form);
    const auto modified = format_http_date(form.last_modified.time_since_epoch().count());
    add("last-modified", std::string{to_string_view(modified)});
    if (form.applied == coding::identity)
      add("accept-ranges", "bytes");
    if (form.sent_as() != coding::identity)
      add("content-encoding", std::string{to_string(form.sent_as())});
    auto type = std::string{resource_.type};
    if (wanted.ranges.size() > 1) {
      type = "multipart/byteranges; boundary=" + std::string{options_.boundary};
      send_multipart(form, wanted.ranges);
    } else if (wanted.ranges.size() == 1) {
      plan_.status = 206;
      add("content-range", content_range(wanted.ranges[0], form.source.size));
      send_bytes(wanted.ranges[0]);
    } else if (form.source.size > 0) {
      send_bytes({0, form.source.size - 1});
    } else {
      plan_.length = 0;
    }
    if (form.applied != coding::identity)
      plan_.length.reset();
    if (!type.empty())
      add("content-type", std::move(type));
    if (request_.method == method::head) {
      plan_.parts.clear();
      plan_.tail.clear();
    }
  }

  void send_bytes(const byte_range& range) {
    plan_.length = range.size();
    plan_.parts.push_back({{}, range});
  }

  void send_multipart(const selected& form, const std::vector<byte_range>& ranges) {
    multipart_body body{ranges, form.source.size, resource_.type, options_.boundary};
    plan_.status = 206;
    plan_.length = body.size;
    plan_.parts = std::move(body.parts);
    plan_.tail = std::move(body.tail);
  }

  const static_request& request_;
  const static_resource& resource_;
  const static_options& options_;
  static_plan plan_;
};

} // namespace

static_plan plan_static(const static_request& request, const static_resource& resource,
                        const static_options& options) {
  return planner{request, resource, options}.run();
}

} // namespace caf_app::http

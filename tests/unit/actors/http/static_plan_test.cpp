#define CAF_SUITE static_plan
#include "actors/http/static_plan.hpp"

#include <array>

#include <caf/test/unit_test.hpp>

#include "support/static_plan_model.hpp"

using namespace caf_app::http;
using namespace std::chrono_literals;
using namespace static_plan_model;

namespace {

static_request request_of(const accept_row& accept, const range_row& range,
                          const condition_row& condition, bool head, const form& sent,
                          std::array<string, 6>& texts) {
  texts = {filled(condition.if_match, sent),
           filled(condition.if_none_match, sent),
           filled(condition.if_modified_since, sent),
           filled(condition.if_unmodified_since, sent),
           filled(range.if_range, sent),
           range.value};
  const auto given = [&](size_t i) {
    return texts[i].empty() ? std::nullopt : std::optional<std::string_view>{texts[i]};
  };
  static_request result;
  result.method = head ? method::head : method::get;
  result.if_match = given(0);
  result.if_none_match = given(1);
  result.if_modified_since = given(2);
  result.if_unmodified_since = given(3);
  result.if_range = given(4);
  result.range = given(5);
  if (accept.value)
    result.accept_encoding = *accept.value;
  return result;
}

static_resource resource_of(const resource_row& row) {
  return {{coding::identity, row.size, written_ns}, row.type, row.siblings};
}

static_options default_options() {
  return {coding_mode::on_the_fly, std::chrono::seconds{60}, "BOUNDARY", now};
}

string planned(const static_request& request, const static_resource& resource,
               const static_options& options) {
  const auto plan = plan_static(request, resource, options);
  answer out;
  out.status = plan.status;
  out.source = to_string(plan.source);
  out.applied = to_string(plan.applied);
  out.length = plan.length ? std::to_string(*plan.length) : "none";
  uint64_t sent = plan.tail.size();
  for (const auto& each : plan.fields)
    out.fields.push_back(each.name + ": " + each.value);
  for (const auto& each : plan.parts) {
    out.bytes.emplace_back(each.range.first, each.range.last);
    sent += each.head.size() + each.range.size();
  }
  auto result = out.shown();
  if (plan.length && request.method == method::get && sent != *plan.length)
    result += "sends " + std::to_string(sent) + " bytes\n";
  return result;
}

string header_of(const static_plan& plan, std::string_view name) {
  for (const auto& each : plan.fields)
    if (each.name == name)
      return each.value;
  return "none";
}

} // namespace

CAF_TEST(every combination of condition and range and coding and HEAD is as the model says) {
  size_t combinations = 0;
  size_t wrong = 0;
  const form nothing{"identity", true, 0, "\"none\"", at37};
  for (const auto& resource : resources)
    for (const auto& accept : accepts)
      for (const auto& range : ranges)
        for (const auto& condition : conditions)
          for (const auto head : {false, true}) {
            const auto sent = model_form(resource, accept, !range.value.empty());
            std::array<string, 6> texts;
            const auto request =
                request_of(accept, range, condition, head, sent ? *sent : nothing, texts);
            const auto expected = model(resource, accept, range, condition, head);
            const auto found = planned(request, resource_of(resource), default_options());
            ++combinations;
            if (found != expected && ++wrong < 4)
              CAF_ERROR("resource of "
                        << resource.size << " bytes, accept " << accept.value.value_or("none")
                        << ", range " << texts[5] << ", if-range " << texts[4] << ", if-match "
                        << texts[0] << ", if-none-match " << texts[1] << ", since " << texts[2]
                        << ", unmodified " << texts[3] << ", head " << head << "\nexpected:\n"
                        << expected << "found:\n"
                        << found);
          }
  CAF_MESSAGE(combinations << " combinations");
  CAF_CHECK_EQUAL(wrong, 0u);
  CAF_CHECK_GREATER_OR_EQUAL(combinations, 400u);
}

CAF_TEST(a file from the future was modified just now) {
  const static_resource resource{
      {coding::identity, 5, written_ns + 100'000 * int64_t{1'000'000'000}}, "image/png", {}};
  const auto plan = plan_static({}, resource, default_options());
  CAF_CHECK_EQUAL(header_of(plan, "last-modified"), "Sun, 06 Nov 1994 09:06:17 GMT");
}

CAF_TEST(a date of this very second proves nothing to If - Range) {
  auto options = default_options();
  static_request request;
  request.range = "bytes=0-1";
  request.if_range = at37;
  const static_resource resource{{coding::identity, 5, written_ns + 999'999'999}, "image/png", {}};
  options.now = std::chrono::sys_seconds{784'111'777s};
  CAF_CHECK_EQUAL(plan_static(request, resource, options).status, 200);
  options.now += 1s;
  CAF_CHECK_EQUAL(plan_static(request, resource, options).status, 206);
}

CAF_TEST(without on the fly coding a page without siblings does not vary) {
  auto options = default_options();
  options.codings = coding_mode::as_stored;
  static_request request;
  request.accept_encoding = "gzip";
  const auto plan = plan_static(request, resource_of(resources[1]), options);
  CAF_CHECK(plan.applied == coding::identity);
  CAF_CHECK_EQUAL(header_of(plan, "vary"), "none");
  CAF_CHECK_EQUAL(header_of(plan, "etag"), "\"ae1b981bc490a00-1388\"");
}

CAF_TEST(without max - age there is no Cache - Control) {
  auto options = default_options();
  options.max_age.reset();
  const auto plan = plan_static({}, resource_of(resources[0]), options);
  CAF_CHECK_EQUAL(header_of(plan, "cache-control"), "none");
}

// The fields of a request for a file: conditions, ranges, codings. The first byte picks the file,
// lines of the rest are the values of fields. Whatever is asked, the plan must be one that can be
// sent: parts within the file, a length that is their sum, fields that HTTP allows.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "caf_app/base/assert.hpp"

#include "actors/http/conditional.hpp"
#include "actors/http/field.hpp"
#include "actors/http/static_plan.hpp"

using namespace caf_app::http;

namespace {

constexpr int64_t written_ns = 1'600'000'000'000'000'000;
const std::chrono::sys_seconds now{std::chrono::seconds{1'700'000'000}};

void check_plan(const static_request& request, const static_resource& resource,
                const static_options& options) {
  const auto plan = plan_static(request, resource, options);
  constexpr std::array statuses{200, 206, 304, 406, 412, 416};
  CAF_APP_ASSERT(std::find(statuses.begin(), statuses.end(), plan.status) != statuses.end());
  for (const auto& line : plan.fields)
    CAF_APP_ASSERT(is_token(line.name) && is_field_value(line.value));
  CAF_APP_ASSERT(plan.source == coding::identity || plan.applied == coding::identity);
  auto size = resource.file.size;
  for (const auto& each : resource.siblings)
    if (each.form == plan.source)
      size = each.size;
  uint64_t bytes = plan.tail.size();
  for (const auto& part : plan.parts) {
    CAF_APP_ASSERT(part.range.first <= part.range.last && part.range.last < size);
    bytes += part.head.size() + part.range.size();
  }
  if (request.method == method::head)
    CAF_APP_ASSERT(plan.parts.empty() && plan.tail.empty() && plan.status != 206);
  else if (plan.length)
    CAF_APP_ASSERT(*plan.length == bytes);
  if (plan.status != 200 && plan.status != 206)
    CAF_APP_ASSERT(plan.parts.empty());
  if (plan.parts.size() > 1)
    CAF_APP_ASSERT(plan.status == 206 && plan.parts.size() <= ranges_max);
  if (!request.range)
    CAF_APP_ASSERT(plan.status != 206 && plan.status != 416);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0)
    return 0;
  std::string_view rest{reinterpret_cast<const char*>(data) + 1, size - 1};
  std::array<std::optional<std::string_view>, 7> values;
  for (auto& value : values) {
    const auto end = std::min(rest.find('\n'), rest.size());
    if (end > 0)
      value = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  static_request request;
  request.method = data[0] & 1 ? method::head : method::get;
  request.range = values[0];
  request.if_range = values[1];
  request.accept_encoding = values[2];
  request.if_none_match = values[3];
  request.if_match = values[4];
  request.if_modified_since = values[5];
  request.if_unmodified_since = values[6];
  constexpr std::array<uint64_t, 4> sizes{0, 1, 5000, uint64_t{1} << 40};
  static_resource resource{{coding::identity, sizes[(data[0] >> 1) & 3], written_ns},
                           data[0] & 8 ? "text/html" : "image/png",
                           {}};
  if (data[0] & 16)
    resource.siblings.push_back({coding::gzip, 60, written_ns});
  if (data[0] & 32)
    resource.siblings.push_back({coding::br, 50, written_ns + 1});
  static_options options{data[0] & 64 ? coding_mode::as_stored : coding_mode::on_the_fly,
                         std::chrono::seconds{60}, "0123456789abcdef", now};
  check_plan(request, resource, options);
  return 0;
}

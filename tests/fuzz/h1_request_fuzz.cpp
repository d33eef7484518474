// A connection that receives any bytes: whatever they are, slices do not change the answers, and
// what is accepted keeps the promises of a request head.
#include "support/http/h1_replay.hpp"

#include <iostream>

#include "caf_app/base/assert.hpp"

#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

router make_routes() {
  site_spec site;
  site.hosts = {"a", "*.w.example"};
  site.routes = {
      {"/", path_match::prefix, {method::get}, options_answer::server, {}, 1},
      {"/post", path_match::prefix, routable_methods, options_answer::route, {}, 2},
      {"/m",
       path_match::prefix,
       {method::get},
       options_answer::route,
       {slashes::merge, encoded_slash::keep},
       3},
  };
  return std::move(*router::make({site}));
}

void print(const char* how, const std::vector<std::string>& answers) {
  std::cerr << how << "\n";
  for (const auto& answer : answers)
    std::cerr << "  " << answer << "\n";
}

void check_head(const h1_request& request, std::string_view input) {
  const auto within = [&](std::string_view view) {
    return view.empty() || (view.data() >= input.data() &&
                            view.data() + view.size() <= input.data() + input.size());
  };
  CAF_APP_ASSERT(within(request.method_text) && within(request.target));
  CAF_APP_ASSERT(is_token(request.method_text));
  CAF_APP_ASSERT(request.fields.size() <= h1_limits{}.max_headers);
  CAF_APP_ASSERT(request.host.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ%@ /") ==
                 std::string_view::npos);
  for (const auto& line : request.fields) {
    CAF_APP_ASSERT(within(line.name) && within(line.value));
    CAF_APP_ASSERT(is_token(line.name) && is_field_value(line.value));
    CAF_APP_ASSERT(trim_blanks(line.value) == line.value);
    CAF_APP_ASSERT(line.id == find_known_field(line.name));
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto routes = make_routes();
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  h1_request_parser parser;
  const auto result = parser.feed(input);
  CAF_APP_ASSERT(result.consumed <= size);
  if (result.event == h1_event::head)
    check_head(parser.request(), input);
  h1_dialogue_options options;
  options.head = {1024, 16, 200};
  options.body = {256, 64, 128, 4};
  const auto whole = replay(routes, options, {input});
  for (uint64_t salt : {0, 1}) {
    const auto sliced = replay(routes, options, fuzz::slices_of(input, salt));
    if (whole != sliced) {
      print("whole:", whole);
      print("sliced:", sliced);
      std::abort();
    }
  }
  return 0;
}

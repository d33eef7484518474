// The tables of HTTP/1 input: each row as a whole, byte by byte, cut at every CRLF and at every
// byte, and followed by a request that must or must not be read.
#define CAF_SUITE h1_rows

#include "support/http/h1_replay.hpp"

#include <caf/test/unit_test.hpp>

#include "unit/actors/http/h1_rows/chunk.hpp"
#include "unit/actors/http/h1_rows/connection.hpp"
#include "unit/actors/http/h1_rows/field.hpp"
#include "unit/actors/http/h1_rows/framing.hpp"
#include "unit/actors/http/h1_rows/host.hpp"
#include "unit/actors/http/h1_rows/request_line.hpp"
#include "unit/actors/http/h1_rows/target.hpp"

using namespace caf_app::http;

namespace {

constexpr size_t cut_everywhere_max = 400; // longer inputs are not cut at every byte

router make_routes() {
  constexpr method_set reading{method::get, method::head};
  site_spec site;
  site.hosts = {"a", "[::1]", "[FE80::A]"};
  site.routes = {
      {"/", path_match::prefix, reading, options_answer::server, {}, 1},
      {"/post", path_match::prefix, {method::post}, options_answer::route, {}, 2},
      {"/any", path_match::prefix, routable_methods, options_answer::route, {}, 3},
      {"/slash",
       path_match::prefix,
       reading,
       options_answer::route,
       {slashes::keep, encoded_slash::keep},
       4},
      {"/merge",
       path_match::prefix,
       reading,
       options_answer::route,
       {slashes::merge, encoded_slash::reject},
       5},
  };
  site_spec wildcard;
  wildcard.hosts = {"*.w.example"};
  wildcard.routes = {{"/wildcard", path_match::prefix, reading, options_answer::route, {}, 6}};
  return std::move(*router::make({site, wildcard}));
}

struct fixture {
  router routes = make_routes();
  h1_dialogue_options options;

  fixture() { options.body.max_body = 64; }

  std::string answers(const std::vector<std::string_view>& slices) {
    std::string result;
    for (const auto& answer : replay(routes, options, slices)) {
      if (!result.empty())
        result += " | ";
      result += answer;
    }
    return result;
  }

  static std::string expected(const h1_row& row) {
    const auto last = row.answer.rfind("| ");
    const auto begin = last == std::string::npos ? 0 : last + 2;
    const bool goes_on = row.answer.substr(begin + 4, 4) == "keep";
    return row.answer + (goes_on ? " | 200 keep GET a /probe" : "");
  }

  void compare(const h1_row& row, const std::vector<std::string_view>& slices,
               const std::string& wanted) {
    const auto got = answers(slices);
    if (got != wanted)
      CAF_ERROR(row.name << " in " << slices.size() << " slices, the first of "
                         << slices.front().size() << ": got \"" << got << "\", wanted \"" << wanted
                         << "\"");
  }

  void check(const h1_rows& table) {
    for (const auto& row : table) {
      const auto input = row.input + head("GET /probe HTTP/1.1", "Host: a");
      const auto wanted = expected(row);
      CAF_CHECK_EQUAL(answers({input}), wanted);
      compare(row, {input}, wanted);
      compare(row, in_bytes(input), wanted);
      for (size_t before_end : {0, 1, 2})
        compare(row, in_lines(input, before_end), wanted);
      if (input.size() <= cut_everywhere_max)
        for (size_t i = 1; i < input.size(); ++i)
          compare(row, in_two(input, i), wanted);
    }
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(h1_rows_tests, fixture)

  CAF_TEST(request lines) { check(request_line_rows()); }
  CAF_TEST(methods) { check(method_rows()); }
  CAF_TEST(targets) { check(target_rows()); }
  CAF_TEST(absolute targets) { check(absolute_target_rows()); }
  CAF_TEST(paths) { check(path_rows()); }
  CAF_TEST(hosts) { check(host_rows()); }
  CAF_TEST(fields) { check(field_rows()); }
  CAF_TEST(sizes of heads) { check(head_size_rows()); }
  CAF_TEST(content lengths) { check(content_length_rows()); }
  CAF_TEST(transfer encodings) { check(transfer_encoding_rows()); }
  CAF_TEST(chunks) { check(chunk_rows()); }
  CAF_TEST(chunk extensions) { check(chunk_extension_rows()); }
  CAF_TEST(trailers) { check(trailer_rows()); }
  CAF_TEST(keep alive) { check(keep_alive_rows()); }
  CAF_TEST(expectations) { check(expect_rows()); }
  CAF_TEST(upgrades) { check(upgrade_rows()); }

  CAF_TEST_FIXTURE_SCOPE_END()

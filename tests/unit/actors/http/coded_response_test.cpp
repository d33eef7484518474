#define CAF_SUITE coded_response
#include "actors/http/coded_response.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

const std::string large(1024, 'x');

response text(std::span<const field> fields = {}) { return {200, "text/plain", fields, large}; }

std::string shown(const response& answer) {
  std::string result;
  for (const auto& line : answer.fields)
    result.append(line.name).append(": ").append(line.value).append("\n");
  return result;
}

} // namespace

CAF_TEST(text of some size depends on its client) {
  CAF_CHECK(depends_on_client(text()));
  CAF_CHECK(!depends_on_client({200, "text/plain", {}, std::string_view{large}.substr(1)}));
  CAF_CHECK(!depends_on_client({200, "image/png", {}, large}));
  CAF_CHECK(!depends_on_client({206, "text/plain", {}, large}));
  const std::string whole(1024 * 1024, 'x');
  CAF_CHECK(depends_on_client({200, "application/json", {}, whole}));
  CAF_CHECK(!depends_on_client({200, "application/json", {}, whole + "x"}));
}

CAF_TEST(fields may forbid it) {
  for (const auto& line :
       {field{"content-encoding", "gzip"}, field{"Cache-Control", "no-transform"},
        field{"Content-Range", "bytes 0-1023/2000"}})
    CAF_CHECK(!depends_on_client(text({&line, 1})));
}

CAF_TEST(a client gets what it prefers and can read) {
  CAF_CHECK(coding_for(text(), "gzip, br;q=0.5") == coding::gzip);
  CAF_CHECK(coding_for(text(), "zstd") == coding::zstd);
  CAF_CHECK(coding_for(text(), "deflate") == coding::identity);
  CAF_CHECK(coding_for(text(), std::nullopt) == coding::identity);
  CAF_CHECK(coding_for(text(), "identity;q=0") == coding::identity);
  CAF_CHECK(coding_for({200, "image/png", {}, large}, "gzip") == coding::identity);
}

CAF_TEST(fields follow the coding) {
  const field fields[]{{"ETag", "\"a\""}, {"X-A", "1"}, {"vary", "Origin"}};
  const coded_response coded{text(fields), coding::br};
  const auto answer = coded.with("coded");
  CAF_CHECK_EQUAL(shown(answer), "ETag: W/\"a-br\"\nX-A: 1\nvary: Origin\n"
                                 "Vary: Accept-Encoding\nContent-Encoding: br\n");
  CAF_CHECK_EQUAL(answer.body, "coded");
  CAF_CHECK_EQUAL(answer.content_type, "text/plain");
  CAF_CHECK_EQUAL(answer.status, 200u);
}

CAF_TEST(who gets the plain form is told that others may not ) {
  const field fields[]{{"ETag", "\"a\""}};
  const coded_response plain{text(fields), coding::identity};
  CAF_CHECK_EQUAL(shown(plain.with(large)), "ETag: \"a\"\nVary: Accept-Encoding\n");
}

CAF_TEST(Vary is not said twice) {
  for (const auto* value : {"accept-encoding", "Origin, Accept-Encoding", "*"}) {
    const field fields[]{{"Vary", value}};
    const coded_response plain{text(fields), coding::identity};
    CAF_CHECK_EQUAL(plain.with("").fields.size(), 1u);
  }
}

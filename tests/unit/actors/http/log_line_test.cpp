#define CAF_SUITE log_line
#include "actors/http/log_line.hpp"

#include <random>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

access_record full() {
  access_record result;
  result.time = std::chrono::sys_seconds{784111777s};
  result.peer = "192.0.2.1:5000";
  result.user = "alice";
  result.method = "GET";
  result.target = "/a?b";
  result.version = "HTTP/2";
  result.status = 200;
  result.sent = 12;
  result.received = 3;
  result.referer = "https://r/";
  result.user_agent = "curl/8";
  result.host = "example.org";
  result.site = "example.org";
  result.route = "/a";
  result.duration = 1234us;
  result.upstream = 2'000'001us;
  result.cache = "miss";
  result.tls = "TLSv1.3";
  result.request_id = "id1";
  result.abort = "reset";
  return result;
}

// One line end, at the end; no other control byte; every quote has its partner.
bool is_one_line(const std::string& line) {
  if (line.find('\n') != line.size() - 1)
    return false;
  size_t quotes = 0;
  for (size_t i = 0; i + 1 < line.size(); ++i) {
    if (static_cast<unsigned char>(line[i]) < 0x20)
      return false;
    if (line[i] == '\\')
      ++i;
    else if (line[i] == '"')
      ++quotes;
  }
  return quotes % 2 == 0;
}

} // namespace

CAF_TEST(the combined line has all fields in their places) {
  CAF_CHECK_EQUAL(combined_line(full()),
                  "192.0.2.1:5000 - alice [06/Nov/1994:08:49:37 +0000] \"GET /a?b HTTP/2\" 200 12 "
                  "\"https://r/\" \"curl/8\" example.org /a 0.001234 2.000001 miss TLSv1.3 id1 "
                  "reset\n");
}

CAF_TEST(the JSON line has all fields by name) {
  CAF_CHECK_EQUAL(
      json_line(full()),
      "{\"time\":\"1994-11-06T08:49:37Z\",\"peer\":\"192.0.2.1:5000\",\"user\":\"alice\","
      "\"method\":\"GET\",\"target\":\"/a?b\",\"version\":\"HTTP/2\",\"status\":200,\"sent\":12,"
      "\"received\":3,\"referer\":\"https://r/\",\"user_agent\":\"curl/"
      "8\",\"host\":\"example.org\","
      "\"site\":\"example.org\",\"route\":\"/"
      "a\",\"seconds\":0.001234,\"upstream_seconds\":2.000001,"
      "\"cache\":\"miss\",\"tls\":\"TLSv1.3\",\"request_id\":\"id1\",\"abort\":\"reset\"}\n");
}

CAF_TEST(what is not known is a dash or left out) {
  access_record empty;
  CAF_CHECK_EQUAL(combined_line(empty), "- - - [01/Jan/1970:00:00:00 +0000] \"-\" 0 0 \"-\" \"-\" "
                                        "- - 0.000000 - - - - -\n");
  CAF_CHECK_EQUAL(json_line(empty), "{\"time\":\"1970-01-01T00:00:00Z\",\"status\":0,\"sent\":0,"
                                    "\"received\":0,\"seconds\":0.000000}\n");
}

CAF_TEST(bytes of a client are escaped) {
  auto record = full();
  record.user_agent = "a\"b\\c\r\nd\x01\x7f\xc3\xa4\xff\xc2\x85";
  CAF_CHECK(
      combined_line(record).find("\"a\\\"b\\\\c\\x0d\\x0ad\\x01\\x7f\xc3\xa4\\xff\\xc2\\x85\"") !=
      std::string::npos);
  record.user = "a b";
  CAF_CHECK(combined_line(record).find(" - \"a b\" [") != std::string::npos);
  CAF_CHECK(json_line(record).find("a\\\"b\\\\c\\r\\nd") != std::string::npos);
}

CAF_TEST(no bytes whatsoever break a line) {
  std::mt19937 random{test_seed()};
  for (auto round = 0; round < 500; ++round) {
    std::string noise;
    for (auto size = random() % 40; size > 0; --size)
      noise += static_cast<char>(random());
    auto record = full();
    record.target = record.user_agent = record.user = record.route = noise;
    for (const auto& line : {combined_line(record), json_line(record)})
      CAF_REQUIRE(is_one_line(line));
  }
}

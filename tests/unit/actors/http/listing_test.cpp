#define CAF_SUITE listing
#include "actors/http/listing.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

CAF_TEST(text is harmless in HTML) {
  CAF_CHECK_EQUAL(escape_html("<a href=\"x\" on='y'>&</a>"),
                  "&lt;a href=&quot;x&quot; on=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  CAF_CHECK_EQUAL(escape_html("\xc3\xa4\xff\n\x01"), "\xc3\xa4\xef\xbf\xbd");
}

CAF_TEST(a segment is harmless in a link) {
  CAF_CHECK_EQUAL(escape_segment("a-b_c.d~1"), "a-b_c.d~1");
  CAF_CHECK_EQUAL(escape_segment("a b/\"<?#%\xff"), "a%20b%2F%22%3C%3F%23%25%FF");
}

CAF_TEST(directories come first and names are sorted) {
  const std::chrono::sys_seconds time{std::chrono::seconds{784111777}};
  const auto page =
      list_directory("/d/", {{"b", false, 5, time}, {"a", false, 7, time}, {"z", true, 0, time}});
  const auto a = page.find("<a href=\"./a\">a</a></td><td>1994-11-06 08:49</td><td>7</td>");
  const auto b = page.find("<a href=\"./b\">b</a></td><td>1994-11-06 08:49</td><td>5</td>");
  const auto z = page.find("<a href=\"./z/\">z/</a></td><td>1994-11-06 08:49</td><td>-</td>");
  CAF_REQUIRE(a != std::string::npos);
  CAF_REQUIRE(b != std::string::npos);
  CAF_REQUIRE(z != std::string::npos);
  CAF_CHECK(page.find("../") < z);
  CAF_CHECK(z < a);
  CAF_CHECK(a < b);
}

CAF_TEST(hostile names stay names) {
  const auto page = list_directory("/<script>/", {{"\"><script>alert(1)</script>", false, 1, {}},
                                                  {"javascript:alert(1)", false, 1, {}}});
  CAF_CHECK_EQUAL(page.find("<script>"), std::string::npos);
  CAF_CHECK(page.find("href=\"./javascript%3Aalert%281%29\"") != std::string::npos);
}

CAF_TEST(the root has no parent) {
  CAF_CHECK_EQUAL(list_directory("/", {}).find("../"), std::string::npos);
}

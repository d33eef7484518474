#define CAF_SUITE etag
#include "actors/http/etag.hpp"

#include <vector>

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string shown(std::string_view list) {
  std::string result;
  entity_tag_list tags{list};
  while (const auto tag = tags.next())
    result.append(tag->weak ? "W<" : "<").append(tag->opaque).append(">");
  return result;
}

} // namespace

CAF_TEST(a field with one tag is read) {
  CAF_CHECK(parse_entity_tag("\"abc\"") == (entity_tag{false, "abc"}));
  CAF_CHECK(parse_entity_tag(" W/\"a,b\" ") == (entity_tag{true, "a,b"}));
  CAF_CHECK(parse_entity_tag("\"\"") == (entity_tag{false, ""}));
  CAF_CHECK(parse_entity_tag("\"\xc3\xa4\"") == (entity_tag{false, "\xc3\xa4"}));
}

CAF_TEST(what breaks the grammar is no tag) {
  for (const auto text : {"", "abc", "\"abc", "abc\"", "w/\"abc\"", "W\"abc\"", "W/abc", "\"a b\"",
                          "\"a\tb\"", "\"a\x7f\"", "\"a\", \"b\"", "\"a\"b", "*", "W/ \"abc\""})
    CAF_CHECK(!parse_entity_tag(text));
}

CAF_TEST(strong and weak comparison follow the table of RFC 9110) {
  const entity_tag strong1{false, "1"};
  const entity_tag weak1{true, "1"};
  const entity_tag weak2{true, "2"};
  CAF_CHECK(!strong_match(weak1, weak1));
  CAF_CHECK(weak_match(weak1, weak1));
  CAF_CHECK(!strong_match(weak1, weak2));
  CAF_CHECK(!weak_match(weak1, weak2));
  CAF_CHECK(!strong_match(weak1, strong1));
  CAF_CHECK(weak_match(weak1, strong1));
  CAF_CHECK(strong_match(strong1, strong1));
  CAF_CHECK(weak_match(strong1, strong1));
}

CAF_TEST(a list is walked up to its first broken byte) {
  CAF_CHECK_EQUAL(shown("\"a\", W/\"b\" ,\"c\""), "<a>W<b><c>");
  CAF_CHECK_EQUAL(shown(",, \"a\",,\t\"b\","), "<a><b>");
  CAF_CHECK_EQUAL(shown("\"a,b\""), "<a,b>");
  CAF_CHECK_EQUAL(shown("\"a\" \"b\""), "");
  CAF_CHECK_EQUAL(shown("\"a\", b, \"c\""), "<a>");
  CAF_CHECK_EQUAL(shown("\"a\", \"b"), "<a>");
  CAF_CHECK_EQUAL(shown(""), "");
}

CAF_TEST(the star stands alone) {
  CAF_CHECK(entity_tag_list{" * "}.any());
  CAF_CHECK(!entity_tag_list{"\"*\""}.any());
  CAF_CHECK(!entity_tag_list{"*, \"a\""}.any());
}

CAF_TEST(a file has another tag after each change of time or size and per coding) {
  CAF_CHECK_EQUAL(file_etag(0x17a3f, 0x2c, ""), "\"17a3f-2c\"");
  CAF_CHECK_EQUAL(file_etag(0x17a3f, 0x2c, "br"), "\"17a3f-2c-br\"");
  CAF_CHECK(file_etag(1, 2, "") != file_etag(2, 2, ""));
  CAF_CHECK(file_etag(1, 2, "") != file_etag(1, 3, ""));
  CAF_CHECK(file_etag(-1, 2, "") != file_etag(1, 2, ""));
}

CAF_TEST(coding on the fly makes a tag weak and marks it) {
  CAF_CHECK_EQUAL(coded_etag("\"abc\"", "gzip"), "W/\"abc-gzip\"");
  CAF_CHECK_EQUAL(coded_etag("W/\"abc\"", "br"), "W/\"abc-br\"");
  CAF_CHECK_EQUAL(coded_etag("", "br"), "");
  CAF_CHECK_EQUAL(coded_etag("abc", "br"), "abc");
}

CAF_TEST(the mark is taken back from If - None - Match and from nothing else) {
  CAF_CHECK_EQUAL(with_uncoded_tags("W/\"abc-gzip\"", "gzip"), "W/\"abc-gzip\", \"abc\"");
  CAF_CHECK_EQUAL(with_uncoded_tags("\"x\", W/\"abc-gzip\"", "gzip"),
                  "\"x\", W/\"abc-gzip\", \"abc\"");
  CAF_CHECK_EQUAL(with_uncoded_tags("W/\"abc-gzip\"", "br"), "W/\"abc-gzip\"");
  CAF_CHECK_EQUAL(with_uncoded_tags("\"abc-gzip\"", "gzip"), "\"abc-gzip\"");
  CAF_CHECK_EQUAL(with_uncoded_tags("W/\"gzip\"", "gzip"), "W/\"gzip\"");
  CAF_CHECK_EQUAL(with_uncoded_tags("*", "gzip"), "*");
}

CAF_TEST(a 304 repeats the form that the client asked with) {
  CAF_CHECK_EQUAL(repeated_etag("\"x\", W/\"abc-gzip\"", "\"abc\"", "gzip"), "W/\"abc-gzip\"");
  CAF_CHECK_EQUAL(repeated_etag("\"abc\"", "\"abc\"", "gzip"), "\"abc\"");
  CAF_CHECK_EQUAL(repeated_etag("W/\"abc-br\"", "\"abc\"", "gzip"), "\"abc\"");
}

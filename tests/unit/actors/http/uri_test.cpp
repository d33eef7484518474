#define CAF_SUITE uri

#include "actors/http/uri.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;
using namespace std::literals;

namespace {

// "form scheme authority path query" of a target, or "invalid".
std::string take_apart(std::string_view target, method what = method::get) {
  const auto parts = parse_target(what, target);
  if (!parts)
    return "invalid";
  constexpr std::string_view forms[] = {"origin", "absolute", "asterisk", "authority"};
  constexpr std::string_view schemes[] = {"-", "http", "https"};
  std::string result{forms[static_cast<size_t>(parts->form)]};
  result.append(" ").append(schemes[static_cast<size_t>(parts->scheme)]);
  result.append(" ").append(parts->authority).append(" ").append(parts->path);
  if (parts->has_query)
    result.append("?").append(parts->query);
  return result;
}

// The normal form, or the fault.
std::string normal(std::string_view raw, path_rules rules = {}) {
  std::string scratch;
  const auto result = normalise_path(raw, scratch, rules);
  if (result.error == fault::none)
    return std::string{result.path};
  return result.error == fault::path ? "fault path" : "fault target";
}

constexpr path_rules merging{slashes::merge, encoded_slash::reject};
constexpr path_rules keeping{slashes::keep, encoded_slash::keep};

} // namespace

CAF_TEST(a target is taken apart by its form) {
  CAF_CHECK_EQUAL(take_apart("/a/b?c=d?e"), "origin -  /a/b?c=d?e");
  CAF_CHECK_EQUAL(take_apart("/?"), "origin -  /?");
  CAF_CHECK_EQUAL(take_apart("HTTPS://h:1/p"), "absolute https h:1 /p");
  CAF_CHECK_EQUAL(take_apart("http://h"), "absolute http h /");
  CAF_CHECK_EQUAL(take_apart("http://h?q"), "absolute http h /?q");
  CAF_CHECK_EQUAL(take_apart("*", method::options), "asterisk -  *");
  CAF_CHECK_EQUAL(take_apart("http://h", method::options), "absolute http h *");
  CAF_CHECK_EQUAL(take_apart("h:1", method::connect), "authority - h:1 ");
}

CAF_TEST(a target of the wrong form is invalid) {
  for (auto target : {"", "x", "*", "h:1", "//", "http:/h", "http://", "http:///", "http://u@h/",
                      "ftp://h/", "/#", "/%", "/%1", "/%1g", "/a?%", "/\x7f", "/\x80", "/ "})
    CAF_CHECK_EQUAL(take_apart(target), target == "//"sv ? "origin -  //" : "invalid");
  for (auto target : {"/", "*", "u@h:1", "h/p", "h?q"})
    CAF_CHECK_EQUAL(take_apart(target, method::connect), "invalid");
}

CAF_TEST(a normal path is used where it lies) {
  for (auto path : {"/", "/a/b.c/", "/.a/..b", "/a//b", "/a|b"}) {
    std::string scratch = "untouched";
    const std::string_view raw = path;
    CAF_CHECK(normalise_path(raw, scratch, {}).path.data() == raw.data());
    CAF_CHECK_EQUAL(scratch, "untouched");
  }
}

CAF_TEST(dot segments are removed as RFC 3986 says) {
  CAF_CHECK_EQUAL(normal("/a/b/c/./../../g"), "/a/g"); // the example of §5.2.4
  CAF_CHECK_EQUAL(normal("/a/./b"), "/a/b");
  CAF_CHECK_EQUAL(normal("/a/.."), "/");
  CAF_CHECK_EQUAL(normal("/a/../"), "/");
  CAF_CHECK_EQUAL(normal("/."), "/");
  CAF_CHECK_EQUAL(normal("/a/b/%2E%2e"), "/a/");
  CAF_CHECK_EQUAL(normal("/a//../b"), "/a/b");
}

CAF_TEST(a path above the root is refused) {
  for (auto path : {"/..", "/../", "/../a", "/a/../..", "/%2e.", "/./.."})
    CAF_CHECK_EQUAL(normal(path), "fault path");
}

CAF_TEST(escapes are decoded once and only if unreserved) {
  CAF_CHECK_EQUAL(normal("/%61%2d%5F%7e%30"), "/a-_~0");
  CAF_CHECK_EQUAL(normal("/%3f%c3%20"), "/%3F%C3%20");
  CAF_CHECK_EQUAL(normal("/%252e"), "/%252e");
  CAF_CHECK_EQUAL(normal("/%0"), "fault target");
  CAF_CHECK_EQUAL(normal("/%00"), "fault path");
  CAF_CHECK_EQUAL(normal("/%5C"), "fault path");
  CAF_CHECK_EQUAL(normal("/\\"), "fault path");
}

CAF_TEST(an encoded slash is refused unless it is kept) {
  CAF_CHECK_EQUAL(normal("/a%2fb"), "fault path");
  CAF_CHECK_EQUAL(normal("/a%2fb", keeping), "/a%2Fb");
  CAF_CHECK_EQUAL(normal("/a%2f../b", keeping), "/a%2F../b");
}

CAF_TEST(slashes merge after dots are gone) {
  CAF_CHECK_EQUAL(normal("//a///b//", merging), "/a/b/");
  CAF_CHECK_EQUAL(normal("/a//../b", merging), "/a/b");
  CAF_CHECK_EQUAL(normal("//a"), "//a");
}

CAF_TEST(the input may be the scratch buffer) {
  std::string scratch = "/a/../b";
  CAF_CHECK_EQUAL(normalise_path(scratch, scratch, {}).path, "/b"sv);
}

CAF_TEST(decoding is for file names) {
  CAF_CHECK_EQUAL(decode_path("/a%20b%C3%A4%"), "/a b\xc3\xa4%");
}

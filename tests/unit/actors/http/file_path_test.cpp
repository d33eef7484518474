#define CAF_SUITE file_path
#include "actors/http/file_path.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app::http;

namespace {

std::string of(std::string_view below, dotfiles rule = dotfiles::hide) {
  return file_path(below, rule).value_or("404");
}

} // namespace

CAF_TEST(a path becomes a name below the root) {
  CAF_CHECK_EQUAL(of(""), ".");
  CAF_CHECK_EQUAL(of("/"), ".");
  CAF_CHECK_EQUAL(of("/a"), "a");
  CAF_CHECK_EQUAL(of("/a/b.html"), "a/b.html");
  CAF_CHECK_EQUAL(of("/a/"), "a");
  CAF_CHECK_EQUAL(of("/a%20b/%C3%A4"), "a b/\xc3\xa4");
}

CAF_TEST(what could leave the root or hide something is not found) {
  for (const auto path : {"/..", "/a/../b", "/%2e%2e/a", "/a/%2E", "/a//b", "/a%2Fb", "/a%00b",
                          "/.git/config", "/a/.htaccess", "/%2Egit"})
    CAF_CHECK_EQUAL(of(path), "404");
}

CAF_TEST(dotfiles are served on request but dot segments never) {
  CAF_CHECK_EQUAL(of("/.well-known/x", dotfiles::serve), ".well-known/x");
  CAF_CHECK_EQUAL(of("/..", dotfiles::serve), "404");
  CAF_CHECK_EQUAL(of("/.", dotfiles::serve), "404");
}

CAF_TEST(names and paths have the limits of the file system) {
  const std::string longest(255, 'a');
  CAF_CHECK_EQUAL(of("/" + longest), longest);
  CAF_CHECK_EQUAL(of("/" + longest + "a"), "404");
  std::string deep;
  for (auto i = 0; i < 15; ++i)
    deep += "/" + longest;
  CAF_CHECK_EQUAL(of(deep).size(), 15u * 256 - 1);
  CAF_CHECK_EQUAL(of(deep + "/" + longest).size(), 4095u);
  CAF_CHECK_EQUAL(of(deep + "/" + longest + "/a"), "404");
}

CAF_TEST(a directory is asked for with a slash) {
  CAF_CHECK(asks_for_directory("/"));
  CAF_CHECK(asks_for_directory("/a/"));
  CAF_CHECK(!asks_for_directory("/a"));
  CAF_CHECK(!asks_for_directory(""));
}

CAF_TEST(the redirect to a directory stays on its host) {
  CAF_CHECK_EQUAL(directory_location("/a", ""), "/a/");
  CAF_CHECK_EQUAL(directory_location("/a", "x=1"), "/a/?x=1");
  CAF_CHECK_EQUAL(directory_location("//evil", ""), "/.//evil/");
}

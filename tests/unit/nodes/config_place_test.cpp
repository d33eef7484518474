#define CAF_SUITE config_place
#include "nodes/config_place.hpp"

#include <caf/test/unit_test.hpp>

#include "caf_app/base/config_toml.hpp"
#include "caf_app/base/error.hpp"

using namespace caf_app;

namespace {

const auto root = *parse_toml("a = 1\n[b]\nc = [5, {d = 6}]\n", "f.toml");

std::string place(std::string_view path) {
  const auto* found = find_at(&root, path);
  return found ? to_string(found->at) : "none";
}

} // namespace

CAF_TEST(a path of keys and numbers finds what is written there) {
  CAF_CHECK_EQUAL(place("a"), "f.toml:1:5");
  CAF_CHECK_EQUAL(place("b.c.0"), "f.toml:3:6");
  CAF_CHECK_EQUAL(place("b.c.1.d"), "f.toml:3:14");
  for (const auto* path : {"x", "a.x", "b.x", "b.c.2", "b.c.x", "b.c.0x", "b.c.-1"})
    CAF_CHECK_EQUAL(place(path), "none");
  CAF_CHECK(!find_at(nullptr, "a"));
}

CAF_TEST(an error has its place before its text and keeps its code) {
  const auto why = caf::make_error(errc::start_failed, "no");
  const auto placed = at_place(find_at(&root, "a"), why);
  CAF_CHECK_EQUAL(describe(placed), to_string(errc::start_failed) + ": f.toml:1:5: no");
  CAF_CHECK(at_place(nullptr, why) == why);
  CAF_CHECK(!at_place(&root, {}));
}

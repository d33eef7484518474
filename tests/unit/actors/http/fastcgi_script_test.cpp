#define CAF_SUITE fastcgi_script
#include "actors/http/fastcgi_script.hpp"

#include <caf/test/unit_test.hpp>

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};
const auto found = fastcgi_script::outcome::found;

} // namespace

CAF_TEST(a finding is good for a second) {
  fastcgi_script_cache cache;
  CAF_CHECK(cache.find("/a.php", start) == nullptr);
  cache.insert("/a.php", {found, "a.php", ""}, start);
  CAF_REQUIRE(cache.find("/a.php", start + 999ms) != nullptr);
  CAF_CHECK_EQUAL(cache.find("/a.php", start)->name, "a.php");
  CAF_CHECK(cache.find("/a.php", start + 1s) == nullptr);
  CAF_CHECK_EQUAL(cache.size(), 0u);
}

CAF_TEST(a newer finding replaces an older one) {
  fastcgi_script_cache cache;
  cache.insert("k", {found, "old.php", ""}, start);
  cache.insert("k", {found, "new.php", "/x"}, start + 500ms);
  CAF_REQUIRE(cache.find("k", start + 1400ms) != nullptr);
  CAF_CHECK_EQUAL(cache.find("k", start)->name, "new.php");
  CAF_CHECK_EQUAL(cache.size(), 1u);
}

CAF_TEST(what was not found is not kept) {
  fastcgi_script_cache cache;
  for (const auto kind : {fastcgi_script::outcome::not_found, fastcgi_script::outcome::directory,
                          fastcgi_script::outcome::busy})
    cache.insert("k", {kind, "", ""}, start);
  CAF_CHECK_EQUAL(cache.size(), 0u);
}

CAF_TEST(the least recently used finding goes first) {
  fastcgi_script_cache cache;
  const auto fill = [&](size_t from, size_t to) {
    for (size_t i = from; i < to; ++i)
      cache.insert(std::to_string(i), {found, "x", ""}, start);
  };
  fill(0, fastcgi_script_cache::entries_max);
  CAF_CHECK_EQUAL(cache.size(), fastcgi_script_cache::entries_max);
  CAF_CHECK(cache.find("0", start) != nullptr);
  fill(1000, 1001);
  CAF_CHECK_EQUAL(cache.size(), fastcgi_script_cache::entries_max);
  CAF_CHECK(cache.find("0", start) != nullptr);
  CAF_CHECK(cache.find("1", start) == nullptr);
}

#define CAF_SUITE cache_store
#include "actors/http/cache_store.hpp"

#include <map>
#include <random>

#include <caf/test/unit_test.hpp>

#include "support/http/cache_fixture.hpp"
#include "support/seed.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

std::string key(std::string_view target, std::string_view host = "a.org") {
  return std::string{target} + "\n" + std::string{host} + "\nhttp";
}

struct world {
  cache_entry_ptr entry(size_t bytes, std::string_view fields = {}, std::string_view request = {}) {
    auto result = entry_from(fields, request);
    result.body = std::make_shared<const std::string>(bytes, 'x');
    return std::make_shared<const cache_entry>(std::move(result));
  }

  void make(uint64_t bytes_max = 1 << 20, uint64_t object_max = 1 << 16, size_t variants_max = 16) {
    store = std::make_shared<cache_store>(cache_limits{bytes_max, object_max, variants_max},
                                          cache_books{registry});
  }

  bool put(const std::string& which, cache_entry_ptr what) {
    return store->insert(which, std::move(what), store->purges());
  }

  bool has(const std::string& which, std::string_view request = {}) {
    const field_text fields{request};
    return store->find(which, fields.list()).entry != nullptr;
  }

  size_t purge(cache_purge::kind what, std::string_view text) {
    return store->purge(*parse_purge(what, text));
  }

  metrics registry;
  std::shared_ptr<cache_store> store;
};

using kind = cache_purge::kind;

} // namespace

CAF_TEST_FIXTURE_SCOPE(cache_store_tests, world)

  CAF_TEST(what was put in is found) {
    make();
    CAF_CHECK(!has(key("/a")));
    CAF_CHECK(put(key("/a"), entry(10)));
    CAF_CHECK(has(key("/a")));
    CAF_CHECK(!has(key("/a", "b.org")));
    CAF_CHECK(put(key("/a"), entry(20)));
    CAF_CHECK_EQUAL(store->size(), 1u);
    CAF_CHECK_EQUAL(store->find(key("/a"), {}).entry->body->size(), 20u);
  }

  CAF_TEST(an object has a limit) {
    make(1 << 20, 1000);
    CAF_CHECK(put(key("/a"), entry(999)));
    CAF_CHECK(put(key("/b"), entry(1000)));
    CAF_CHECK(!put(key("/c"), entry(1001)));
    CAF_CHECK(!has(key("/c")));
  }

  CAF_TEST(an object larger than everything is not stored) {
    make(5000, 10'000);
    CAF_CHECK(!put(key("/a"), entry(5000)));
    CAF_CHECK_EQUAL(store->bytes(), 0u);
  }

  CAF_TEST(variants live side by side up to a limit) {
    make(1 << 20, 1 << 16, 3);
    const auto vary = [&](int i) {
      return put(key("/a"), entry(10, "Vary: X", "X: " + std::to_string(i)));
    };
    for (int i = 0; i < 3; ++i)
      CAF_CHECK(vary(i));
    for (int i = 0; i < 3; ++i)
      CAF_CHECK(has(key("/a"), "X: " + std::to_string(i)));
    CAF_CHECK(vary(3)); // the oldest goes
    CAF_CHECK(!has(key("/a"), "X: 0"));
    CAF_CHECK(has(key("/a"), "X: 3"));
    CAF_CHECK_EQUAL(store->size(), 3u);
    const field_text other{"X: none"};
    CAF_CHECK(store->find(key("/a"), other.list()).has_others);
    CAF_CHECK(!store->find(key("/none"), other.list()).has_others);
  }

  CAF_TEST(the least recently used go first) {
    make(40'000, 10'000);
    std::mt19937 random{test_seed()};
    std::map<std::string, int> seen;
    for (int i = 0; i < 500; ++i) {
      const auto which = key("/" + std::to_string(random() % 100));
      CAF_CHECK(put(which, entry(random() % 5000)));
      CAF_REQUIRE(store->bytes() <= 40'000);
      CAF_REQUIRE(has(which));
    }
    CAF_CHECK(registry.sum("caf_http_cache_evictions_total") > 300);
    CAF_CHECK_EQUAL(registry.sum("caf_http_cache_bytes"), static_cast<int64_t>(store->bytes()));
    store.reset();
    CAF_CHECK_EQUAL(registry.sum("caf_http_cache_bytes"), 0);
  }

  CAF_TEST(bytes are given back) {
    make();
    put(key("/a"), entry(100, "Vary: X", "X: 1"));
    put(key("/a"), entry(100, "Vary: X", "X: 2"));
    put(key("/b"), entry(100, "Cache-Tag: t"));
    put(key("/b"), entry(200, "Cache-Tag: t"));
    CAF_CHECK_EQUAL(purge(kind::prefix, "/"), 3u);
    CAF_CHECK_EQUAL(store->bytes(), 0u);
    CAF_CHECK_EQUAL(store->size(), 0u);
  }

  CAF_TEST(one response is forgotten as long as it is that one) {
    make();
    const auto old = entry(10);
    put(key("/a"), old);
    put(key("/a"), entry(20));
    store->erase(key("/a"), old);
    CAF_CHECK(has(key("/a")));
    store->erase(key("/a"), store->find(key("/a"), {}).entry);
    CAF_CHECK(!has(key("/a")));
    CAF_CHECK_EQUAL(store->bytes(), 0u);
  }

  CAF_TEST(purges by URL and prefix and tag) {
    make();
    const auto fill = [&] {
      put(key("/a/1"), entry(1, "Cache-Tag: odd, all"));
      put(key("/a/2"), entry(1, "Cache-Tag: all"));
      put(key("/a/2", "b.org"), entry(1, "Surrogate-Key: all other"));
      put(key("/ab"), entry(1));
    };
    fill();
    CAF_CHECK_EQUAL(purge(kind::url, "/a/2"), 2u);
    CAF_CHECK(has(key("/a/1")) && has(key("/ab")) && !has(key("/a/2")));
    fill();
    CAF_CHECK_EQUAL(purge(kind::url, "http://b.org/a/2"), 1u);
    CAF_CHECK(has(key("/a/2")));
    fill();
    CAF_CHECK_EQUAL(purge(kind::prefix, "/a/"), 3u);
    CAF_CHECK(has(key("/ab")));
    fill();
    CAF_CHECK_EQUAL(purge(kind::tag, "odd"), 1u);
    CAF_CHECK(!has(key("/a/1")) && has(key("/a/2")));
    CAF_CHECK_EQUAL(purge(kind::tag, "all"), 2u);
    CAF_CHECK_EQUAL(purge(kind::tag, "all"), 0u);
    CAF_CHECK(has(key("/ab")));
  }

  CAF_TEST(a tag purges the variants that have it) {
    make();
    put(key("/a"), entry(1, "Vary: X\nCache-Tag: t", "X: 1"));
    put(key("/a"), entry(1, "Vary: X", "X: 2"));
    CAF_CHECK_EQUAL(purge(kind::tag, "t"), 1u);
    CAF_CHECK(!has(key("/a"), "X: 1"));
    CAF_CHECK(has(key("/a"), "X: 2"));
  }

  CAF_TEST(what was fetched before a purge is not stored after it) {
    make();
    for (const auto& [what, text] :
         {std::pair{kind::url, "/a"}, std::pair{kind::prefix, "/"}, std::pair{kind::tag, "t"}}) {
      const auto since = store->purges();
      purge(what, text);
      CAF_CHECK(!store->insert(key("/a"), entry(1, "Cache-Tag: t"), since));
      CAF_CHECK(store->insert(key("/a"), entry(1, "Cache-Tag: t"), store->purges()));
    }
    const auto since = store->purges();
    purge(kind::url, "/b");
    purge(kind::tag, "u");
    CAF_CHECK(store->insert(key("/a"), entry(1, "Cache-Tag: t"), since));
  }

  CAF_TEST(a fetch older than the memory of purges is not stored) {
    make();
    const auto since = store->purges();
    for (int i = 0; i < 1024; ++i)
      purge(kind::url, "/other");
    CAF_CHECK(store->insert(key("/a"), entry(1), since));
    purge(kind::url, "/other");
    CAF_CHECK(!store->insert(key("/a"), entry(1), since));
  }

  CAF_TEST(keys become invalid like by a purge) {
    make();
    put(key("/a"), entry(1));
    const auto since = store->purges();
    store->invalidate({key("/a"), key("/b")});
    CAF_CHECK(!has(key("/a")));
    CAF_CHECK(!store->insert(key("/b"), entry(1), since));
  }

  CAF_TEST(one fetches and the others are told) {
    make();
    std::string told;
    uint64_t ticket = 0;
    const auto wait = [&](char name) {
      return [&told, name](fill_outcome outcome) {
        told += name;
        told += std::to_string(static_cast<int>(outcome));
      };
    };
    auto fill = store->join(key("/a"), wait('x'), ticket);
    CAF_REQUIRE(fill);
    CAF_CHECK(!store->join(key("/a"), wait('a'), ticket));
    CAF_CHECK(!store->join(key("/a"), wait('b'), ticket));
    store->leave(key("/a"), ticket);
    CAF_CHECK(!store->join(key("/a"), wait('c'), ticket));
    CAF_CHECK(store->join(key("/b"), wait('y'), ticket)); // and drops it
    CAF_CHECK_EQUAL(told, "");
    fill.end(fill_outcome::stored);
    CAF_CHECK_EQUAL(told, "a0c0");
    fill.end(fill_outcome::stored);
    CAF_CHECK_EQUAL(told, "a0c0");
    CAF_CHECK(store->join(key("/a"), wait('z'), ticket));
  }

  CAF_TEST(a dropped fetch has failed) {
    make();
    auto told = fill_outcome::stored;
    uint64_t ticket = 0;
    {
      auto fill = store->try_begin(key("/a"));
      CAF_REQUIRE(fill);
      CAF_CHECK(!store->try_begin(key("/a")));
      CAF_CHECK(!store->join(
          key("/a"), [&](fill_outcome how) { told = how; }, ticket));
      auto other = std::move(fill); // moved, not dropped
      CAF_CHECK(told == fill_outcome::stored);
    }
    CAF_CHECK(told == fill_outcome::failed);
    CAF_CHECK(store->try_begin(key("/a")));
  }

  CAF_TEST(keys whose answers are for one are remembered for a while) {
    make();
    store->note_private(key("/a"), steady_start + 5s);
    CAF_CHECK(store->is_private(key("/a"), steady_start + 4s));
    CAF_CHECK(!store->is_private(key("/a"), steady_start + 5s));
    CAF_CHECK(!store->is_private(key("/b"), steady_start));
    put(key("/a"), entry(1));
    CAF_CHECK(!store->is_private(key("/a"), steady_start + 4s));
  }

  CAF_TEST_FIXTURE_SCOPE_END()

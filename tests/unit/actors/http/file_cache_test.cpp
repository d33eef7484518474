#define CAF_SUITE file_cache
#include "actors/http/file_cache.hpp"

#include <caf/test/unit_test.hpp>

#include "actors/http/file_finder_handler.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

const steady::time_point start{1h};

file_entry_ptr make_entry(uint64_t inode, size_t bytes = 0) {
  auto result = std::make_shared<file_entry>();
  auto& form = result->forms.emplace_back();
  form.inode = inode;
  form.content = std::string(bytes, 'x');
  return result;
}

} // namespace

CAF_TEST(an entry is believed for its age) {
  file_cache cache;
  const auto entry = make_entry(1);
  CAF_CHECK(cache.insert("a", entry, start) == entry);
  CAF_CHECK(cache.find("a", start + 1s - 1ns) == entry);
  CAF_CHECK(!cache.find("a", start + 1s));
  CAF_CHECK(!cache.find("b", start));
}

CAF_TEST(what has not changed keeps what was computed from it) {
  file_cache cache;
  const auto first = make_entry(1);
  cache.insert("a", first, start);
  CAF_CHECK(cache.insert("a", make_entry(1), start + 5s) == first);
  CAF_CHECK(cache.find("a", start + 5s) == first);
  const auto other = make_entry(2);
  CAF_CHECK(cache.insert("a", other, start + 6s) == other);
  CAF_CHECK_EQUAL(cache.size(), 1u);
}

CAF_TEST(what was too new when it was opened is replaced) {
  file_cache cache;
  const auto first = make_entry(1);
  first->forms.front().fresh = true;
  cache.insert("a", first, start);
  const auto second = make_entry(1);
  CAF_CHECK(cache.insert("a", second, start + 1s) == second);
}

CAF_TEST(the one that was used longest ago makes room) {
  file_cache cache{{3, 1 << 20, 1s}};
  for (const auto* key : {"a", "b", "c"})
    cache.insert(key, make_entry(1), start);
  cache.find("a", start);
  cache.insert("d", make_entry(1), start);
  CAF_CHECK_EQUAL(cache.size(), 3u);
  CAF_CHECK(cache.find("a", start));
  CAF_CHECK(!cache.find("b", start));
}

CAF_TEST(memory is bounded and counts what is added) {
  const auto base = make_entry(1)->memory();
  file_cache cache{{100, 3 * base + 1000, 1s}};
  for (const auto* key : {"a", "b", "c"})
    cache.insert(key, make_entry(1, 300), start);
  CAF_CHECK_EQUAL(cache.size(), 3u);
  CAF_CHECK_EQUAL(cache.bytes(), 3 * base + 900);
  const auto last = cache.find("c", start);
  last->coded[1] = std::make_shared<const std::string>(100, 'y');
  cache.grown("c");
  CAF_CHECK_EQUAL(cache.bytes(), 3 * base + 1000); // exactly full
  last->coded[2] = std::make_shared<const std::string>(1, 'y');
  cache.grown("c");
  CAF_CHECK_EQUAL(cache.size(), 2u);
  CAF_CHECK(!cache.find("a", start));
  CAF_CHECK_EQUAL(cache.bytes(), 2 * base + 701);
  cache.erase("c");
  CAF_CHECK_EQUAL(cache.bytes(), base + 300);
  cache.erase("c");
  cache.grown("c");
  CAF_CHECK_EQUAL(cache.size(), 1u);
}

CAF_TEST(one that is too large alone is kept until the next) {
  file_cache cache{{100, 10, 1s}};
  cache.insert("a", make_entry(1, 300), start);
  CAF_CHECK(cache.find("a", start));
  cache.insert("b", make_entry(1, 300), start);
  CAF_CHECK(!cache.find("a", start));
  CAF_CHECK(cache.find("b", start));
}

CAF_TEST(all who ask for the same wait for one search) {
  file_cache cache;
  std::string told;
  CAF_CHECK(cache.join("a", [&](const found&) {
    told += "1";
    CAF_CHECK(cache.join("a", [&](const found&) { told += "3"; })); // anew
  }));
  CAF_CHECK(!cache.join("a", [&](const found&) { told += "2"; }));
  CAF_CHECK(cache.join("b", [&](const found&) { told += "b"; }));
  cache.settle("a", {});
  CAF_CHECK_EQUAL(told, "12");
  cache.settle("a", {});
  cache.settle("a", {});
  CAF_CHECK_EQUAL(told, "123");
}

CAF_TEST(a cleared cache is empty and works on) {
  file_cache cache;
  cache.insert("a", make_entry(1, 300), start);
  cache.clear();
  CAF_CHECK_EQUAL(cache.size(), 0u);
  CAF_CHECK_EQUAL(cache.bytes(), 0u);
  CAF_CHECK(!cache.find("a", start));
  cache.insert("a", make_entry(1), start);
  CAF_CHECK(cache.find("a", start));
}

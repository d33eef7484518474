#define CAF_SUITE build_store
#include "actors/eval/process/build_store.hpp"

#include <filesystem>
#include <fstream>

#include <caf/test/unit_test.hpp>

#include "support/scratch_folder.hpp"

using namespace caf_app::eval;

namespace {

build_store open(const scratch_folder& folder, const char* salt = "salt") {
  auto result = build_store::open(folder / "store", salt);
  if (auto why = std::get_if<std::string>(&result))
    CAF_FAIL(*why);
  return std::get<build_store>(std::move(result));
}

build_status status_of(char digit, build_state state, int64_t created_ms = 0) {
  build_status status;
  status.id = std::string(64, digit);
  status.state = state;
  status.organisation = "public";
  status.created_ms = created_ms;
  return status;
}

} // namespace

CAF_TEST(the salt of a store is kept) {
  scratch_folder folder;
  CAF_CHECK_EQUAL(open(folder, "first").salt(), "first");
  CAF_CHECK_EQUAL(open(folder, "second").salt(), "first");
}

CAF_TEST(statuses survive and unfinished builds are interrupted) {
  scratch_folder folder;
  {
    auto store = open(folder);
    CAF_CHECK(store.put(status_of('a', build_state::ready, 2)));
    CAF_CHECK(store.put(status_of('b', build_state::building, 1)));
  }
  auto list = open(folder).list();
  CAF_REQUIRE_EQUAL(list.size(), 2u);
  CAF_CHECK_EQUAL(list[0].id, std::string(64, 'b'));
  CAF_CHECK(list[0].state == build_state::failed);
  CAF_CHECK_EQUAL(list[0].error, "interrupted");
  CAF_CHECK(list[1].state == build_state::ready);
}

CAF_TEST(an id that is none finds nothing and removes nothing) {
  scratch_folder folder;
  auto store = open(folder);
  store.put(status_of('a', build_state::ready));
  for (auto id : {"", "..", "../builds", "AAAA"}) {
    CAF_CHECK(!store.find(id));
    store.remove(id);
  }
  CAF_CHECK(store.find(std::string(64, 'a')).has_value());
  store.remove(std::string(64, 'a'));
  CAF_CHECK(!store.find(std::string(64, 'a')));
}

CAF_TEST(a driver is read in pieces) {
  scratch_folder folder;
  auto store = open(folder);
  const auto id = std::string(64, 'a');
  store.put(status_of('a', build_state::ready));
  CAF_CHECK_EQUAL(store.driver_piece(id, 0, 4).total_bytes, 0u); // there is none
  std::ofstream{store.folder_of(id) + "/driver"} << "0123456789";
  const std::pair<uint64_t, const char*> pieces[] = {{0, "0123"}, {4, "4567"}, {8, "89"},
                                                     {10, ""},    {11, ""},    {UINT64_MAX, ""}};
  for (auto [offset, bytes] : pieces) {
    const auto piece = store.driver_piece(id, offset, 4);
    CAF_CHECK_EQUAL(piece.total_bytes, 10u);
    CAF_CHECK_EQUAL(piece.bytes, bytes);
  }
  CAF_CHECK_EQUAL(store.driver_piece("../builds/" + id, 0, 4).total_bytes, 0u);
}

CAF_TEST(builds go least recently used first but never those in use) {
  scratch_folder folder;
  auto store = open(folder);
  auto time = std::filesystem::last_write_time(folder.path()) - std::chrono::hours{100};
  for (auto digit : {'a', 'b', 'c', 'd'}) {
    store.put(status_of(digit, digit == 'd' ? build_state::building : build_state::ready));
    std::ofstream{store.folder_of(std::string(64, digit)) + "/driver"} << std::string(10'000, 'x');
    std::filesystem::last_write_time(store.folder_of(std::string(64, digit)), time);
    time += std::chrono::hours{1};
  }
  store.touch(std::string(64, 'a')); // now the last
  CAF_CHECK(store.evict(100'000, {}).empty());
  CAF_CHECK(store.evict(35'000, {std::string(64, 'b')}) ==
            std::vector<std::string>{std::string(64, 'c')});
  CAF_CHECK(store.evict(0, {}) ==
            (std::vector<std::string>{std::string(64, 'b'), std::string(64, 'a')}));
  CAF_CHECK(store.find(std::string(64, 'd')).has_value());
}

#define CAF_SUITE journal
#include "actors/scaler/journal.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <caf/test/unit_test.hpp>

#include "support/file_size_limit.hpp"
#include "support/scratch_folder.hpp"

using caf_app::scaler::journal;

namespace {

std::string content_of(const std::string& file) {
  std::ifstream in{file};
  return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

CAF_TEST(lines are appended across restarts) {
  const scratch_folder folder;
  const auto file = folder / "a.jsonl";
  CAF_CHECK(journal{file}.write("one"));
  CAF_CHECK(journal{file}.write("two"));
  CAF_CHECK_EQUAL(content_of(file), "one\ntwo\n");
}

CAF_TEST(two files bound the size) {
  const scratch_folder folder;
  const auto file = folder / "a.jsonl";
  journal testee{file};
  const std::string line(journal::bytes_max / 4 - 1, 'x');
  for (int i = 0; i < 4; ++i)
    testee.write(line);
  CAF_CHECK_EQUAL(std::filesystem::file_size(file), journal::bytes_max);
  CAF_CHECK(!std::filesystem::exists(file + ".1"));
  testee.write("next");
  CAF_CHECK_EQUAL(content_of(file), "next\n");
  CAF_CHECK_EQUAL(std::filesystem::file_size(file + ".1"), journal::bytes_max);
  for (int i = 0; i < 5; ++i)
    testee.write(line);
  CAF_CHECK_LESS_OR_EQUAL(std::filesystem::file_size(file), journal::bytes_max);
}

CAF_TEST(a full disk leaves no two lines in one) {
  const scratch_folder folder;
  const auto file = folder / "a.jsonl";
  journal testee{file};
  {
    const file_size_limit full{6};
    CAF_CHECK(testee.write("one"));
    CAF_CHECK(!testee.write("two"));
  }
  CAF_CHECK(testee.write("three"));
  CAF_CHECK_EQUAL(content_of(file), "one\ntw\nthree\n");
}

CAF_TEST(no path writes nothing and a bad one says so) {
  CAF_CHECK(journal{""}.write("x"));
  CAF_CHECK(!journal{"/no/such/folder/file"}.write("x"));
}

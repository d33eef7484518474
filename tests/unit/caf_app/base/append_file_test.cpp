#define CAF_SUITE append_file
#include "caf_app/base/append_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <caf/test/unit_test.hpp>

#include "support/file_size_limit.hpp"
#include "support/scratch_folder.hpp"

using caf_app::append_file;

namespace {

constexpr mode_t mode = 0640;

struct fixture {
  std::string content() const {
    std::ifstream in{path};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  void put(const std::string& text) const { std::ofstream{path, std::ios::app} << text; }

  scratch_folder folder;
  std::string path = folder / "lines";
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(append_file_tests, fixture)

  CAF_TEST(lines are appended to what is there) {
    put("old\n");
    auto testee = append_file::open(path, mode);
    CAF_REQUIRE(testee.is_open());
    const auto done = testee.append("one\ntwo\n");
    CAF_CHECK_EQUAL(done.bytes, 8u);
    CAF_CHECK_EQUAL(done.error, 0);
    CAF_CHECK_EQUAL(testee.size(), 12u);
    CAF_CHECK_EQUAL(content(), "old\none\ntwo\n");
  }

  CAF_TEST(a line that whoever wrote before has left unfinished stays alone) {
    put("old\nunfin");
    auto testee = append_file::open(path, mode);
    testee.append("one\n");
    testee.append("two\n");
    CAF_CHECK_EQUAL(content(), "old\nunfin\none\ntwo\n");
  }

  CAF_TEST(a line that does not fit is cut and the next begins anew) {
    for (size_t limit = 1; limit <= 8; ++limit) { // bytes; 4 and 8 are ends of lines
      ::unlink(path.c_str());
      auto testee = append_file::open(path, mode);
      {
        const file_size_limit full{limit};
        const auto done = testee.append("one\ntwo\n");
        CAF_CHECK_EQUAL(done.bytes, limit);
        CAF_CHECK_EQUAL(done.error, limit < 8 ? EFBIG : 0);
        const auto more = testee.append("lost\n");
        CAF_CHECK_EQUAL(more.bytes, 0u);
        CAF_CHECK_EQUAL(more.error, EFBIG);
      }
      testee.append("last\n");
      const auto kept = std::string{"one\ntwo\n"}.substr(0, limit);
      CAF_CHECK_EQUAL(content(), kept + (limit % 4 == 0 ? "" : "\n") + "last\n");
    }
  }

  CAF_TEST(room for a line end alone is used for that and nothing is torn twice) {
    auto testee = append_file::open(path, mode);
    const file_size_limit full{3};
    testee.append("one\n");
    full.set(4);
    const auto done = testee.append("lost\n");
    CAF_CHECK_EQUAL(done.bytes, 0u);
    CAF_CHECK_EQUAL(done.error, EFBIG);
    full.set(100);
    testee.append("two\n");
    CAF_CHECK_EQUAL(content(), "one\ntwo\n");
  }

  CAF_TEST(what another process has finished meanwhile is not finished again) {
    auto testee = append_file::open(path, mode);
    {
      const file_size_limit full{5};
      testee.append("one\ntwo\n");
    }
    put("\nother\n");
    testee.append("last\n");
    CAF_CHECK_EQUAL(content(), "one\nt\nother\nlast\n");
  }

  CAF_TEST(an emptied file begins without an empty line) {
    auto testee = append_file::open(path, mode);
    {
      const file_size_limit full{2};
      testee.append("one\n");
    }
    CAF_REQUIRE_EQUAL(::truncate(path.c_str(), 0), 0);
    testee.append("two\n");
    CAF_CHECK_EQUAL(content(), "two\n");
  }

  CAF_TEST(a pipe that takes no more is remembered too) {
    int fds[2];
    CAF_REQUIRE_EQUAL(::pipe2(fds, O_NONBLOCK), 0);
    append_file testee{fds[1]};
    const std::string large(1 << 20, 'x');
    const auto done = testee.append(large + "\n");
    CAF_CHECK_EQUAL(done.error, EAGAIN);
    CAF_CHECK(done.bytes > 0 && done.bytes < large.size());
    std::string got(large.size(), '\0');
    while (::read(fds[0], got.data(), got.size()) > 0) {
    }
    CAF_CHECK_EQUAL(testee.append("one\n").bytes, 4u);
    got.resize(static_cast<size_t>(::read(fds[0], got.data(), got.size())));
    CAF_CHECK_EQUAL(got, "\none\n");
    ::close(fds[0]);
  }

  CAF_TEST(a file that may only be written is one too) {
    put("old\n");
    append_file testee{::open(path.c_str(), O_WRONLY | O_APPEND)};
    testee.append("one\n");
    CAF_CHECK_EQUAL(content(), "old\none\n");
  }

  CAF_TEST(errors have their errno) {
    const auto missing = append_file::open(folder / "no/such", mode);
    const auto why = errno;
    CAF_CHECK(!missing.is_open());
    CAF_CHECK_EQUAL(why, ENOENT);
    append_file none;
    CAF_CHECK_EQUAL(none.append("one\n").error, EBADF);
    CAF_CHECK_EQUAL(none.size(), 0u);
    auto full = append_file::open("/dev/full", mode);
    CAF_CHECK_EQUAL(full.append("one\n").error, ENOSPC);
  }

  CAF_TEST(a new file has the mode) {
    const auto testee = append_file::open(path, mode);
    struct stat now {};
    CAF_REQUIRE_EQUAL(::stat(path.c_str(), &now), 0);
    CAF_CHECK_EQUAL(now.st_mode & 0600, 0600u);
    CAF_CHECK_EQUAL(now.st_mode & 0777 & ~mode, 0u);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

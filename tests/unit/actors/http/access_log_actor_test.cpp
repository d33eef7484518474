#define CAF_SUITE access_log_actor
#include "actors/http/access_log_actor.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/file_size_limit.hpp"
#include "support/scratch_folder.hpp"
#include "support/sockets.hpp"

#include "support/actor_fixture.hpp"

using namespace caf_app;
using namespace caf_app::http;
using namespace std::chrono_literals;

namespace {

struct fixture : actor_fixture {
  fixture() { log = *access_log::open(path(), dropped); }
  ~fixture() override {
    if (testee)
      end(testee, caf::exit_reason::kill);
  }

  std::string path() const { return folder / "access.log"; }

  static std::string content_of(const std::string& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  std::string content() const { return content_of(path()); }

  void start() {
    testee = sys.spawn(access_log_actor, log);
    consume_messages();
  }

  scratch_folder folder;
  metrics books;
  counter& dropped = books.counter("caf_http_log_dropped_total", "Lost.");
  std::shared_ptr<access_log> log;
  caf::actor testee;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(access_log_actor_tests, fixture)

  CAF_TEST(lines are written a tenth of a second later) {
    start();
    log->write("one\n");
    log->write("two\n");
    pass(99ms);
    CAF_CHECK_EQUAL(content(), "");
    pass(1ms);
    CAF_CHECK_EQUAL(content(), "one\ntwo\n");
    log->write("three\n");
    pass(100ms);
    CAF_CHECK_EQUAL(content(), "one\ntwo\nthree\n");
  }

  CAF_TEST(the end of the writer writes what is left) {
    start();
    log->write("one\n");
    end(testee, caf::exit_reason::user_shutdown);
    CAF_CHECK_EQUAL(content(), "one\n");
  }

  CAF_TEST(a killed writer loses no line either) {
    start();
    log->write("one\n");
    end(testee, caf::exit_reason::kill);
    CAF_CHECK_EQUAL(content(), "one\n");
  }

  CAF_TEST(lines beyond the queue are dropped and counted) {
    for (size_t i = 0; i < access_log::lines_max + 2; ++i)
      log->write("x\n");
    CAF_CHECK_EQUAL(dropped.value(), 2u);
    log->flush();
    CAF_CHECK_EQUAL(content().size(), 2 * access_log::lines_max);
    log->write("y\n");
    CAF_CHECK_EQUAL(dropped.value(), 2u);
  }

  CAF_TEST(a line longer than a block is written whole) {
    const std::string large(200'000, 'x');
    log->write("a\n");
    log->write(large + "\n");
    log->write("b\n");
    log->flush();
    CAF_CHECK_EQUAL(content(), "a\n" + large + "\nb\n");
  }

  CAF_TEST(a log goes on at the end of its file) {
    log->write("one\n");
    log->flush();
    log = *access_log::open(path(), dropped);
    log->write("two\n");
    log->flush();
    CAF_CHECK_EQUAL(content(), "one\ntwo\n");
  }

  CAF_TEST(a rotated log goes on in a new file) {
    log->write("one\n");
    log->flush();
    const auto old = path() + ".1";
    std::filesystem::rename(path(), old);
    log->write("two\n");
    log->flush();
    CAF_CHECK(!log->reopen());
    log->write("three\n");
    log->flush();
    CAF_CHECK_EQUAL(content_of(old), "one\ntwo\n");
    CAF_CHECK_EQUAL(content(), "three\n");
  }

  CAF_TEST(a log that cannot be reopened goes on in the old file) {
    std::filesystem::rename(path(), path() + ".1");
    std::filesystem::create_directory(path());
    CAF_CHECK_EQUAL(code_of(log->reopen()), errc::io_failed);
    log->write("one\n");
    log->flush();
    CAF_CHECK_EQUAL(content_of(path() + ".1"), "one\n");
  }

  CAF_TEST(a log that cannot be opened is an error with its path) {
    const auto result = access_log::open("/nonexistent/log", dropped);
    CAF_REQUIRE(!result);
    CAF_CHECK_EQUAL(code_of(result.error()), errc::start_failed);
    CAF_CHECK(describe(result.error()).find("/nonexistent/log") != std::string::npos);
  }

  CAF_TEST(lines that cannot be written are counted) {
    log = *access_log::open("/dev/full", dropped);
    for (int i = 0; i < 3; ++i)
      log->write("x\n");
    log->flush();
    CAF_CHECK_EQUAL(dropped.value(), 3u);
  }

  CAF_TEST(a full disk costs whole lines and the log says so once) {
    const auto notes = folder / "notes";
    const auto fd = ::open(notes.c_str(), O_WRONLY | O_CREAT, 0600);
    log_options to_notes;
    to_notes.fd = fd;
    log = *access_log::open(path(), dropped, make_logger(to_notes));
    const auto put = [this](std::initializer_list<const char*> lines) {
      for (const auto* line : lines)
        log->write(line);
      log->flush();
    };
    const auto times = [&](const std::string& what) {
      const auto text = content_of(notes);
      size_t result = 0;
      for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++result;
      return result;
    };
    // Far beyond what the notes need, which are under the same limit.
    const std::string long_line(100'000, 'x');
    put({(long_line + "\n").c_str()});
    {
      const file_size_limit full{long_line.size() + 1 + 6};
      put({"one\n", "two\n", "three\n"});
      CAF_CHECK_EQUAL(dropped.value(), 2u);
      put({"four\n"});
      CAF_CHECK_EQUAL(dropped.value(), 3u);
      CAF_CHECK_EQUAL(times("are lost"), 1u);
      CAF_CHECK_EQUAL(times("written again"), 0u);
    }
    put({"five\n", "six\n"});
    CAF_CHECK_EQUAL(content().substr(long_line.size() + 1), "one\ntw\nfive\nsix\n");
    CAF_CHECK_EQUAL(dropped.value(), 3u);
    put({"seven\n"});
    CAF_CHECK_EQUAL(times("are lost"), 1u);
    CAF_CHECK_EQUAL(times("written again"), 1u);
    CAF_CHECK_EQUAL(times("lost=3"), 1u);
    ::close(fd);
  }

  CAF_TEST(no descriptor is left) {
    const auto before = caf_app::test::open_descriptors();
    {
      const auto other = *access_log::open(path(), dropped);
      CAF_CHECK(!other->reopen());
      CAF_CHECK_EQUAL(caf_app::test::open_descriptors(), before + 1);
    }
    CAF_CHECK_EQUAL(caf_app::test::open_descriptors(), before);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

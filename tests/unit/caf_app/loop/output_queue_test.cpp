#define CAF_SUITE output_queue
#include "caf_app/loop/output_queue.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <string>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/limits.hpp"
#include "support/seed.hpp"
#include "support/sockets.hpp"

using namespace caf_app;
using namespace caf_app::test;
using flush_result = output_queue::flush_result;

namespace {

shared_file_ptr file_of(std::string_view content) {
  return std::make_shared<const shared_file>(temporary_file(content));
}

/// Bytes that tell where they come from.
std::string pattern(size_t size, unsigned salt) {
  std::string result(size, '\0');
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>((i * 31 + salt * 17 + (i >> 8)) & 0xff);
  return result;
}

struct fixture {
  fixture() {
    std::signal(SIGPIPE, SIG_IGN); // sendfile raises it; on a loop it is blocked
    const int small = 4096;
    ::setsockopt(link.ours.get(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  }

  flush_result flush() { return queue.flush(link.ours.get()); }

  /// Flushes and reads in turns until `size` bytes have come.
  std::string pump(size_t size) {
    std::string result;
    while (result.size() < size) {
      const auto outcome = flush();
      CAF_REQUIRE(outcome == flush_result::empty || outcome == flush_result::blocked);
      std::string buffer(size - result.size(), '\0');
      const auto n = ::recv(link.peer.fd(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (n > 0)
        result.append(buffer, 0, static_cast<size_t>(n));
    }
    return result;
  }

  connection link = unix_pair();
  output_queue queue;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(output_queue_tests, fixture)

  CAF_TEST(an empty queue is flushed at once) {
    queue.push("");
    queue.push(std::string{});
    queue.push(file_of("abc"), 1, 0);
    CAF_CHECK(queue.empty());
    CAF_CHECK(flush() == flush_result::empty);
  }

  CAF_TEST(sizes count bytes and files while memory counts bytes) {
    queue.push("12345");
    queue.push(file_of("abcdef"), 1, 4);
    queue.push(std::string(20'000, 'x'));
    CAF_CHECK_EQUAL(queue.size(), 20'009u);
    CAF_CHECK_EQUAL(queue.memory(), 20'005u);
    CAF_CHECK_EQUAL(pump(20'009), "12345bcde" + std::string(20'000, 'x'));
    CAF_CHECK(flush() == flush_result::empty);
    CAF_CHECK_EQUAL(queue.size(), 0u);
    CAF_CHECK_EQUAL(queue.memory(), 0u);
    CAF_CHECK(queue.empty());
  }

  CAF_TEST(partial writes go on where they stopped) {
    const auto sent = pattern(1'000'000, 1);
    queue.push(std::string_view{sent}.substr(0, 400'000));
    queue.push(sent.substr(400'000));
    CAF_CHECK(flush() == flush_result::blocked);
    CAF_CHECK(queue.size() < sent.size());
    CAF_CHECK_EQUAL(queue.memory(), queue.size());
    CAF_CHECK(pump(sent.size()) == sent);
  }

  CAF_TEST(more pieces than one call takes keep their order) {
    std::string expected;
    for (unsigned i = 0; i < 100; ++i) {
      expected += pattern(17'000, i);
      queue.push(pattern(17'000, i));
    }
    CAF_CHECK(pump(expected.size()) == expected);
  }

  CAF_TEST(small pieces pushed after a partial write are appended) {
    std::string expected;
    for (unsigned i = 0; i < 5'000; ++i) {
      expected += pattern(40, i);
      queue.push(std::string_view{expected}.substr(expected.size() - 40));
      if (i % 100 == 0)
        flush();
    }
    CAF_CHECK(pump(expected.size()) == expected);
  }

  CAF_TEST(file ranges are sent from their offset) {
    const auto content = pattern(300'000, 3);
    queue.push(file_of(content), 1'000, 250'000);
    CAF_CHECK(pump(250'000) == content.substr(1'000, 250'000));
    CAF_CHECK(queue.empty());
  }

  CAF_TEST(a shared file may be sent several times at once) {
    const auto content = pattern(10'000, 4);
    const auto file = file_of(content);
    output_queue other;
    auto other_link = unix_pair();
    queue.push(file, 0, 10'000);
    other.push(file, 5'000, 5'000);
    CAF_CHECK(other.flush(other_link.ours.get()) == flush_result::empty);
    CAF_CHECK(pump(10'000) == content);
    CAF_CHECK(other_link.peer.receive(5'000) == content.substr(5'000));
  }

  CAF_TEST(a file closes with its last reference) {
    const auto before = open_descriptors();
    auto file = file_of("abc");
    queue.push(file, 0, 3);
    file.reset();
    CAF_CHECK_EQUAL(open_descriptors(), before + 1);
    CAF_CHECK_EQUAL(pump(3), "abc");
    CAF_CHECK_EQUAL(open_descriptors(), before);
    queue.push(file_of("def"), 0, 3);
    queue.clear();
    CAF_CHECK_EQUAL(open_descriptors(), before);
    CAF_CHECK_EQUAL(queue.size(), 0u);
  }

  CAF_TEST(a file shorter than promised is told) {
    queue.push("head ");
    queue.push(file_of("0123456789"), 0, 11);
    auto outcome = flush();
    CAF_CHECK(outcome == flush_result::file_ended);
    CAF_CHECK_EQUAL(link.peer.receive(15), "head 0123456789");
    CAF_CHECK_EQUAL(queue.size(), 1u);
  }

  CAF_TEST(an offset behind the end is a file that ended) {
    queue.push(file_of("0123456789"), 10, 1);
    CAF_CHECK(flush() == flush_result::file_ended);
  }

  CAF_TEST(a lost peer is a failure with its cause) {
    link.peer.close();
    queue.push("abc");
    CAF_CHECK(flush() == flush_result::failed);
    CAF_CHECK_EQUAL(errno, EPIPE);
    queue.clear();
    queue.push(file_of("abc"), 0, 3);
    CAF_CHECK(flush() == flush_result::failed);
    CAF_CHECK_EQUAL(errno, EPIPE);
  }

  CAF_TEST(one flush is bounded even if the peer never blocks) {
    const auto size = 3 * limits::loop::write_bytes_per_event;
    unique_fd null{::open("/dev/null", O_WRONLY | O_CLOEXEC)}; // takes everything
    queue.push(file_of(std::string(size, 'x')), 0, size);
    CAF_CHECK(queue.flush(null.get()) == flush_result::interrupted);
    CAF_CHECK_EQUAL(queue.size(), size - limits::loop::write_bytes_per_event);
    CAF_CHECK(queue.flush(null.get()) == flush_result::interrupted);
    CAF_CHECK(queue.flush(null.get()) == flush_result::empty);
  }

  CAF_TEST(bytes and files at random arrive in order) {
    std::mt19937 random{test_seed()};
    const auto content = pattern(100'000, 5);
    const auto file = file_of(content);
    for (int round = 0; round < 20; ++round) {
      std::string expected;
      for (int i = 0; i < 60; ++i) {
        const auto size = random() % (i % 7 == 0 ? 40'000 : 400);
        switch (random() % 4) {
          case 0: {
            const auto offset = random() % (content.size() - size);
            expected += content.substr(offset, size);
            queue.push(file, offset, size);
            break;
          }
          case 1: {
            auto bytes = pattern(size, static_cast<unsigned>(i));
            expected += bytes;
            queue.push(std::move(bytes));
            break;
          }
          default: {
            const auto bytes = pattern(size, static_cast<unsigned>(i));
            expected += bytes;
            queue.push(std::string_view{bytes});
          }
        }
      }
      CAF_REQUIRE_EQUAL(queue.size(), expected.size());
      CAF_REQUIRE(pump(expected.size()) == expected);
      CAF_REQUIRE(flush() == flush_result::empty);
      CAF_REQUIRE_EQUAL(queue.memory(), 0u);
    }
  }

  CAF_TEST_FIXTURE_SCOPE_END()

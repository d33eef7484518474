#define CAF_SUITE reuseport_steer
#include "caf_app/loop/reuseport_steer.hpp"

#include <atomic>
#include <list>

#include <caf/test/unit_test.hpp>

#include "caf_app/loop/acceptor.hpp"
#include "support/loop_fixture.hpp"

using namespace caf_app;
using namespace caf_app::test;

namespace {

/// A listener of the address; counts what it accepts, and tells a book, if it has one.
class counting : public accept_owner {
public:
  counting(event_loop& loop, listen_socket_ptr socket, probe_book* book)
      : loop_(loop), socket_(std::move(socket)), book_(book) {
    on_loop(loop_, [this] { acceptor_ = acceptor::open(loop_, socket_, *this); });
  }
  ~counting() override {
    on_loop(loop_, [this] { acceptor_->close(); });
  }
  void on_accept(int fd, const socket_address& peer) override {
    ::close(fd);
    if (!book_ || !book_->note(peer.port()))
      ++accepted;
  }
  void on_accept_paused(int) override {}
  void on_accept_exception() override {}

  int fd() const { return socket_->fd(); }
  std::atomic<int> accepted{0};

private:
  event_loop& loop_;
  listen_socket_ptr socket_;
  probe_book* book_;
  acceptor* acceptor_ = nullptr;
};

struct fixture : loop_fixture {
  socket_address address = *parse_socket_address("127.0.0.1:0");
  probe_book book;
  std::list<counting> listeners;

  counting& listen(probe_book* told) {
    auto socket = listen_tcp(address, 128, port_sharing::shared);
    CAF_REQUIRE(socket);
    address = (*socket)->address();
    return listeners.emplace_back(loop, *socket, told);
  }

  /// Connects and waits until the server has closed.
  void visit(int times) {
    for (int i = 0; i < times; ++i) {
      unique_fd fd{checked(::socket(AF_INET, SOCK_STREAM, 0), "socket")};
      checked(::connect(fd.get(), address.get(), address.size), "connect");
      char c = 0;
      CAF_REQUIRE_EQUAL(::read(fd.get(), &c, 1), 0);
    }
  }
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(reuseport_steer_tests, fixture)

  CAF_TEST(only one holds the lock of an address) {
    const auto other = *parse_socket_address("127.0.0.1:1");
    auto first = steer_lock::take(other);
    CAF_CHECK(first);
    CAF_CHECK(!steer_lock::take(other));
    CAF_CHECK(steer_lock::take(*parse_socket_address("127.0.0.1:2")));
    first.reset();
    CAF_CHECK(steer_lock::take(other));
  }

  CAF_TEST(who is alone has nothing to steer) {
    auto& own = listen(&book);
    const int fds[] = {own.fd()};
    CAF_CHECK(steer_away(address, fds, book) == steer_result::alone);
  }

  CAF_TEST(new connections go to the others whichever is the own index) {
    for (int mine : {0, 1, 2}) {
      listeners.clear();
      address = *parse_socket_address("127.0.0.1:0");
      counting* own = nullptr;
      for (int i = 0; i < 3; ++i) {
        auto& next = listen(i == mine ? &book : nullptr);
        own = i == mine ? &next : own;
      }
      const int fds[] = {own->fd()};
      CAF_CHECK(steer_away(address, fds, book) == steer_result::steered);
      own->accepted = 0;
      visit(60);
      CAF_CHECK_EQUAL(own->accepted, 0);
      stop_steering(own->fd());
      visit(200);
      CAF_CHECK_GREATER(own->accepted, 0);
    }
  }

  CAF_TEST(two sockets of one process leave together) {
    auto& first = listen(&book);
    listen(nullptr);
    auto& second = listen(&book);
    const int fds[] = {first.fd(), second.fd()};
    CAF_CHECK(steer_away(address, fds, book) == steer_result::steered);
    first.accepted = second.accepted = 0;
    visit(60);
    CAF_CHECK_EQUAL(first.accepted + second.accepted, 0);
  }

  CAF_TEST(new connections can all come here) {
    auto& other = listen(nullptr);
    auto& own = listen(&book);
    const int fds[] = {own.fd()};
    CAF_CHECK(steer_here(address, fds, book));
    other.accepted = own.accepted = 0;
    visit(60);
    CAF_CHECK_EQUAL(own.accepted, 60);
    CAF_CHECK_EQUAL(other.accepted, 0);
  }

  CAF_TEST(steering fails when nobody notes the probes) {
    auto& own = listen(nullptr);
    listen(nullptr);
    const int fds[] = {own.fd()};
    CAF_CHECK(steer_away(address, fds, book) == steer_result::failed);
    own.accepted = 0;
    visit(200);
    CAF_CHECK_GREATER(own.accepted, 0); // the filter is gone
  }

  CAF_TEST(the length of an accept queue is told) {
    auto socket = listen_tcp(address, 7, port_sharing::shared);
    CAF_REQUIRE(socket);
    const auto [queued, limit] = accept_queue((*socket)->fd());
    CAF_CHECK_EQUAL(queued, 0u);
    CAF_CHECK_EQUAL(limit, 7u);
    unique_fd fd{checked(::socket(AF_INET, SOCK_STREAM, 0), "socket")};
    const auto& at = (*socket)->address();
    checked(::connect(fd.get(), at.get(), at.size), "connect");
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (accept_queue((*socket)->fd()).first != 1)
      CAF_REQUIRE(std::chrono::steady_clock::now() < deadline);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

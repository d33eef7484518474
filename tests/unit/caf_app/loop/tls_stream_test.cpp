#define CAF_SUITE tls_stream
#include "caf_app/loop/tls_stream.hpp"

#include <caf/test/unit_test.hpp>

#include "support/loop_fixture.hpp"
#include "support/tls_client.hpp"
#include "support/tls_fixture.hpp"

using namespace caf_app;
using namespace caf_app::test;

namespace {

/// A server's stream on a loop, and a client on the thread of the test.
struct fixture : loop_fixture, tls_fixture, private stream_owner {
  fixture() {
    auto link = tcp_pair();
    peer = std::move(link.peer);
    on_loop(loop, [this, &link] {
      socket = stream_socket::open(loop, link.ours.release(), *this);
      stream.emplace(simple(), *socket);
      return 0;
    });
    SSL_set_fd(client.ssl, peer.fd());
    CAF_REQUIRE_EQUAL(SSL_do_handshake(client.ssl), 1);
    opened.wait([](bool x) { return x; }); // the server's side ends later
  }

  ~fixture() {
    on_loop(loop, [this] {
      stream->release();
      if (socket)
        socket->close();
      return 0;
    });
    wait_for_no_sockets(loop);
  }

  void on_data(std::span<const char> bytes) override {
    std::string plaintext;
    const auto state = stream->receive(bytes, plaintext);
    heard.change([&](std::string& x) { x += plaintext; });
    if (state == tls_state::open)
      opened.change([](bool& x) { x = true; });
    if (state == tls_state::closed)
      heard.change([](std::string& x) { x += "<closed>"; });
  }
  void on_end() override {}
  void on_drained() override {
    if (stream->on_drained())
      drained.change([](int& x) { ++x; });
  }
  void on_failed(int) override {}
  void on_exception() override {}

  template <class F>
  auto run(F f) {
    return on_loop(loop, std::move(f));
  }

  /// Reads until there are `size` bytes, or the end.
  std::string read(size_t size) {
    std::string result;
    std::string part(16'384, '\0');
    while (result.size() < size) {
      const auto got = SSL_read(client.ssl, part.data(), static_cast<int>(part.size()));
      if (got <= 0)
        break;
      result.append(part, 0, static_cast<size_t>(got));
    }
    return result;
  }

  bool ended_well() {
    char byte = 0;
    const auto result = SSL_read(client.ssl, &byte, 1);
    return SSL_get_error(client.ssl, result) == SSL_ERROR_ZERO_RETURN;
  }

  tls_client client{"a.org"};
  peer_socket peer;
  stream_socket* socket = nullptr;
  std::optional<tls_stream> stream;
  watched<std::string> heard;
  watched<int> drained;
  watched<bool> opened;
};

std::string pattern(size_t size) {
  std::string result(size, '\0');
  for (size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>((i * 31 + (i >> 8) * 7) & 0xff);
  return result;
}

} // namespace

CAF_TEST_FIXTURE_SCOPE(tls_stream_tests, fixture)

  CAF_TEST(both sides hear each other) {
    client.say("hello");
    CAF_CHECK_EQUAL(heard.wait([](auto& x) { return x.size() >= 5; }), "hello");
    run([&] {
      stream->write("answer");
      return 0;
    });
    CAF_CHECK_EQUAL(read(6), "answer");
  }

  CAF_TEST(more than the kernel takes arrives whole) {
    const auto all = pattern(5'000'000);
    run([&] {
      stream->write(all);
      return 0;
    });
    CAF_CHECK(read(all.size()) == all);
    CAF_CHECK(run([&] { return stream->queued() == 0; }));
  }

  CAF_TEST(files and bytes keep their order) {
    const auto content = pattern(1'000'000);
    const auto file = std::make_shared<const shared_file>(temporary_file(content));
    run([&] {
      stream->write_file("head ", file, 10, 900'000);
      stream->write(" between ");
      stream->write_file({}, file, 0, 5);
      stream->write(" end");
      return 0;
    });
    const auto wanted =
        "head " + content.substr(10, 900'000) + " between " + content.substr(0, 5) + " end";
    CAF_CHECK(read(wanted.size()) == wanted);
  }

  CAF_TEST(what waits of a file stays in the file) {
    const auto file = std::make_shared<const shared_file>(temporary_file(pattern(20'000'000)));
    const auto in_socket = run([&] {
      stream->write_file({}, file, 0, 20'000'000);
      return socket->queued();
    });
    CAF_CHECK(in_socket < 200'000);
    CAF_CHECK(run([&] { return stream->queued(); }) > 10'000'000);
    CAF_CHECK_EQUAL(read(20'000'000).size(), 20'000'000u);
  }

  CAF_TEST(a file that is shorter than promised is told) {
    const auto file = std::make_shared<const shared_file>(temporary_file("short"));
    CAF_CHECK(run([&] {
      stream->write_file({}, file, 0, 6);
      return stream->file_ended();
    }));
  }

  CAF_TEST(the end is a close_notify behind all that waits) {
    const auto content = pattern(3'000'000);
    const auto file = std::make_shared<const shared_file>(temporary_file(content));
    run([&] {
      stream->write_file({}, file, 0, content.size());
      stream->finish();
      return 0;
    });
    CAF_CHECK(read(content.size()) == content);
    CAF_CHECK(ended_well());
  }

  CAF_TEST(a goodbye is a close_notify too) {
    run([&] {
      stream->say_goodbye();
      return 0;
    });
    CAF_CHECK(ended_well());
  }

  CAF_TEST(the end of the client is heard) {
    client.say("last");
    SSL_shutdown(client.ssl);
    CAF_CHECK_EQUAL(heard.wait([](auto& x) { return x.size() >= 12; }), "last<closed>");
  }

  CAF_TEST(without a socket nothing happens) {
    run([&] {
      stream->release();
      stream->write("nobody");
      stream->finish();
      return 0;
    });
    CAF_CHECK_EQUAL(run([&] { return stream->queued(); }), 0u);
  }

  CAF_TEST_FIXTURE_SCOPE_END()

// The least a server can do for a keep-alive GET: one thread, level-triggered epoll, one recv and
// one send per request, a search for the end of the head and nothing else. It parses no field,
// routes nothing and has no deadlines: it is the floor that the web tier is measured against, not a
// server. The response has the fields and the size that the web tier's `respond` route sends.
// Usage: epoll_floor PORT (on 127.0.0.1); prints "ready epoll_floor 127.0.0.1:PORT"; SIGTERM ends
// it.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr size_t head_bytes_max = 8192;
constexpr size_t output_bytes_max = 65536;
constexpr std::string_view end_of_head = "\r\n\r\n";

[[noreturn]] void fail(const char* call) {
  std::perror(call);
  std::exit(1);
}

/// The response, rendered again when the second of its Date changes.
class response {
public:
  std::string_view at(time_t now) {
    if (now != rendered_at_) {
      std::tm parts{};
      gmtime_r(&now, &parts);
      std::array<char, 64> date{};
      std::strftime(date.data(), date.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
      text_ = std::string{"HTTP/1.1 200 OK\r\nDate: "} + date.data() +
              "\r\nServer: caf_app\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\n"
              "Hello, World!";
      rendered_at_ = now;
    }
    return text_;
  }

private:
  std::string text_;
  time_t rendered_at_ = 0;
};

/// What a connection keeps between two rounds: an unfinished head, output the socket did not take.
struct connection {
  std::string input;
  std::string output;
};

class server {
public:
  explicit server(uint16_t port) : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (epoll_ < 0)
      fail("epoll_create1");
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener_ < 0)
      fail("socket");
    const int on = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    setsockopt(listener_, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0)
      fail("bind");
    if (listen(listener_, 4096) < 0)
      fail("listen");
    watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events{};
    for (;;) {
      const int n = epoll_wait(epoll_, events.data(), events.size(), -1);
      if (n < 0 && errno != EINTR)
        fail("epoll_wait");
      timespec now{};
      clock_gettime(CLOCK_REALTIME_COARSE, &now);
      for (int i = 0; i < n; ++i) {
        if (events[i].data.fd == listener_)
          accept_all();
        else
          serve(events[i].data.fd, events[i].events, response_.at(now.tv_sec));
      }
    }
  }

private:
  void watch(int operation, int fd, uint32_t mask) {
    epoll_event event{};
    event.events = mask;
    event.data.fd = fd;
    if (epoll_ctl(epoll_, operation, fd, &event) < 0)
      fail("epoll_ctl");
  }

  void accept_all() {
    for (;;) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0)
        return;
      const int on = 1;
      setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      if (connections_.size() <= static_cast<size_t>(fd))
        connections_.resize(fd + 1);
      connections_[fd] = std::make_unique<connection>();
      watch(EPOLL_CTL_ADD, fd, EPOLLIN);
    }
  }

  void serve(int fd, uint32_t mask, std::string_view answer) {
    auto& peer = *connections_[fd];
    if ((mask & EPOLLOUT) && !flush(fd, peer))
      return;
    if (!(mask & ~uint32_t{EPOLLOUT}))
      return;
    const auto n = recv(fd, buffer_.data(), buffer_.size(), 0);
    if (n == 0 || (n < 0 && errno != EAGAIN))
      return drop(fd);
    if (n < 0)
      return;
    std::string_view input{buffer_.data(), static_cast<size_t>(n)};
    if (!peer.input.empty()) {
      peer.input.append(input);
      input = peer.input;
    }
    std::string_view rest = input;
    size_t heads = 0;
    for (auto end = rest.find(end_of_head); end != rest.npos; end = rest.find(end_of_head)) {
      rest.remove_prefix(end + end_of_head.size());
      ++heads;
    }
    if (rest.size() > head_bytes_max || peer.output.size() > output_bytes_max)
      return drop(fd);
    peer.input = std::string{rest};
    if (heads == 1 && peer.output.empty())
      send_now(fd, peer, answer);
    else if (heads > 0)
      send_many(fd, peer, answer, heads);
  }

  /// The common case: the socket takes the answer whole and nothing is copied.
  void send_now(int fd, connection& peer, std::string_view answer) {
    const auto n = send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
    if (n == static_cast<ssize_t>(answer.size()))
      return;
    if (n < 0 && errno != EAGAIN)
      return drop(fd);
    peer.output = answer.substr(n < 0 ? 0 : n);
    watch(EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT);
  }

  void send_many(int fd, connection& peer, std::string_view answer, size_t count) {
    const bool waiting = !peer.output.empty();
    for (size_t i = 0; i < count; ++i)
      peer.output += answer;
    if (!waiting && flush(fd, peer) && !peer.output.empty())
      watch(EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT);
  }

  /// @returns false if the connection is gone
  bool flush(int fd, connection& peer) {
    const auto n = send(fd, peer.output.data(), peer.output.size(), MSG_NOSIGNAL);
    if (n < 0 && errno != EAGAIN) {
      drop(fd);
      return false;
    }
    peer.output.erase(0, n < 0 ? 0 : n);
    if (peer.output.empty())
      watch(EPOLL_CTL_MOD, fd, EPOLLIN);
    return true;
  }

  void drop(int fd) {
    close(fd);
    connections_[fd].reset();
  }

  int epoll_;
  int listener_ = -1;
  response response_;
  std::vector<std::unique_ptr<connection>> connections_; // by descriptor
  std::array<char, 16384> buffer_{};
};

} // namespace

int main(int argc, char** argv) {
  const long port = argc == 2 ? std::strtol(argv[1], nullptr, 10) : 0;
  if (port < 1 || port > 65535) {
    std::fputs("usage: epoll_floor PORT\n", stderr);
    return 2;
  }
  server floor{static_cast<uint16_t>(port)};
  std::printf("ready epoll_floor 127.0.0.1:%ld\n", port);
  std::fflush(stdout);
  floor.run();
}

// The load of `bench/run eval`: keep-alive connections that call the graph `sum` over HTTP and
// check every reply. One thread, poll; each connection has one call under way.
//
//   eval_load PORT PATH CONNECTIONS CALLS fresh|state|ids     one JSON line on standard output
//
// fresh: each call without state. state: each call carries the state of the reply before. ids: each
// connection names a graph id of its own, so that each starts with a cold worker.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using steady = std::chrono::steady_clock;

struct plan {
  int port = 0;
  std::string path;
  size_t connections = 1;
  size_t calls = 1;
  std::string mode;
};

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "eval_load: %s\n", why.c_str());
  std::exit(1);
}

int connect_to(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(static_cast<uint16_t>(port));
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0)
    fail("cannot connect");
  return fd;
}

class connection {
public:
  connection(const plan& what, size_t number) : plan_(what), number_(number) {
    fd_ = connect_to(what.port);
  }

  int fd() const { return fd_; }

  void send(size_t a) {
    a_ = a;
    std::string body = "{\"inputs\":{\"a\":" + std::to_string(a) + ",\"b\":1000000}";
    if (plan_.mode == "state" && !state_.empty())
      body += ",\"state\":" + state_;
    if (plan_.mode == "ids")
      body += ",\"binding\":{\"org_id\":\"o\",\"user_id\":\"u\",\"graph_id\":\"" +
              std::to_string(number_) + "\"}";
    body += '}';
    const auto text = "POST " + plan_.path +
                      " HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
                      "Content-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body;
    began_ = steady::now();
    if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(text.size()))
      fail("a request could not be sent at once");
  }

  /// Reads what is there. @returns the seconds of a call whose reply is whole, else a negative
  /// value
  double receive() {
    char bytes[65536];
    const auto got = ::recv(fd_, bytes, sizeof bytes, 0);
    if (got <= 0)
      fail("the server closed a connection");
    buffer_.append(bytes, static_cast<size_t>(got));
    const auto head = buffer_.find("\r\n\r\n");
    if (head == std::string::npos)
      return -1;
    const auto field = buffer_.find("Content-Length: ");
    if (field == std::string::npos || field > head)
      fail("a reply without length: " + buffer_);
    const auto size = std::strtoul(buffer_.c_str() + field + 16, nullptr, 10);
    if (buffer_.size() < head + 4 + size)
      return -1;
    const std::chrono::duration<double> took = steady::now() - began_;
    check(std::string_view{buffer_}.substr(head + 4));
    buffer_.clear();
    return took.count();
  }

private:
  void check(std::string_view body) {
    const auto wanted = "\"output\":" + std::to_string(a_ + 1000000) + "}],\"changed\"";
    if (!buffer_.starts_with("HTTP/1.1 200 ") || body.find(wanted) == std::string_view::npos)
      fail("a wrong reply: " + buffer_);
    const auto end = body.find(",\"nodes\":");
    state_ = body.substr(9, end - 9); // after {"state":
  }

  const plan& plan_;
  size_t number_;
  int fd_ = -1;
  size_t a_ = 0;
  steady::time_point began_;
  std::string buffer_;
  std::string state_;
};

double percentile(const std::vector<double>& sorted, double share) {
  const auto index = static_cast<size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(index, sorted.size() - 1)] * 1e6;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 6)
    fail("usage: eval_load PORT PATH CONNECTIONS CALLS fresh|state|ids");
  const plan what{std::atoi(argv[1]), argv[2], std::strtoul(argv[3], nullptr, 10),
                  std::strtoul(argv[4], nullptr, 10), argv[5]};
  std::vector<connection> all;
  for (size_t i = 0; i < what.connections; ++i)
    all.emplace_back(what, i);
  std::vector<pollfd> waiting;
  for (auto& one : all)
    waiting.push_back({one.fd(), POLLIN, 0});
  std::vector<double> times;
  size_t sent = 0;
  const auto began = steady::now();
  for (auto& one : all)
    one.send(++sent);
  while (times.size() < what.calls) {
    if (::poll(waiting.data(), waiting.size(), 10'000) <= 0)
      fail("no reply within 10 s");
    for (size_t i = 0; i < all.size(); ++i) {
      if (waiting[i].revents == 0)
        continue;
      const auto took = all[i].receive();
      if (took < 0)
        continue;
      times.push_back(took);
      if (sent < what.calls)
        all[i].send(++sent);
    }
  }
  const std::chrono::duration<double> all_of_it = steady::now() - began;
  std::sort(times.begin(), times.end());
  std::printf("{\"calls\":%zu,\"seconds\":%.6f,\"p50_us\":%.1f,\"p95_us\":%.1f,\"p99_us\":%.1f}\n",
              times.size(), all_of_it.count(), percentile(times, 0.5), percentile(times, 0.95),
              percentile(times, 0.99));
  return 0;
}

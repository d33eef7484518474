#define CAF_SUITE service_notice
#include "nodes/service_notice.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

#include <caf/test/unit_test.hpp>

#include "caf_app/base/error.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app;

namespace {

/// The manager's end. @param name as in NOTIFY_SOCKET
class manager {
public:
  explicit manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name.data(), name.size());
    if (name.front() == '@')
      at.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    CAF_REQUIRE_EQUAL(::bind(fd_, reinterpret_cast<sockaddr*>(&at), size), 0);
  }

  ~manager() { ::close(fd_); }

  std::string heard() {
    char text[256];
    const auto n = ::recv(fd_, text, sizeof text, MSG_DONTWAIT);
    return n < 0 ? std::string{"nothing"} : std::string(text, static_cast<size_t>(n));
  }

private:
  int fd_;
};

} // namespace

CAF_TEST(a path and an abstract name are told) {
  scratch_folder folder;
  const std::string path = folder / "notify";
  const auto abstract = "@caf_app_test_" + std::to_string(::getpid());
  for (const auto& name : {path, abstract}) {
    manager there{name};
    CAF_CHECK_EQUAL(service_notice{name}.tell("READY=1"), caf::error{});
    CAF_CHECK_EQUAL(there.heard(), "READY=1");
    CAF_CHECK_EQUAL(there.heard(), "nothing");
  }
}

CAF_TEST(without a manager nothing happens) {
  CAF_CHECK_EQUAL(service_notice{""}.tell("READY=1"), caf::error{});
}

CAF_TEST(a manager that is not there is an error with its name) {
  CAF_CHECK_NOT_EQUAL(
      describe(service_notice{"/nowhere/notify"}.tell("READY=1")).find("/nowhere/notify"),
      std::string::npos);
  for (const auto& wrong : {std::string{"relative"}, "/" + std::string(107, 'x')})
    CAF_CHECK_EQUAL(code_of(service_notice{wrong}.tell("READY=1")), errc::io_failed);
  const auto longest = describe(service_notice{"/" + std::string(106, 'x')}.tell("READY=1"));
  CAF_CHECK_EQUAL(longest.find("expected a path"), std::string::npos);
}

CAF_TEST(the environment names the socket) {
  scratch_folder folder;
  const std::string path = folder / "notify";
  manager there{path};
  const auto entry = "NOTIFY_SOCKET=" + path;
  const char* const environment[] = {"A=b", "XNOTIFY_SOCKET=/x", entry.c_str(), nullptr};
  CAF_CHECK_EQUAL(service_notice::of(environment).tell("STOPPING=1"), caf::error{});
  CAF_CHECK_EQUAL(there.heard(), "STOPPING=1");
  const char* const empty[] = {nullptr};
  CAF_CHECK_EQUAL(service_notice::of(empty).tell("READY=1"), caf::error{});
}

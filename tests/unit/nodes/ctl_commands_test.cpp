#define CAF_SUITE ctl_commands
#include "nodes/ctl_commands.hpp"

#include <unistd.h>

#include <sstream>

#include <caf/test/unit_test.hpp>

#include "caf_app/loop/socket_address.hpp"
#include "support/scratch_folder.hpp"

using namespace caf_app;

namespace {

struct fixture {
  ctl_status run(const std::string& command, const std::string& body = "") {
    ctl_request request;
    request.command = command;
    request.name = "x";
    request.body = body;
    return run_command(client, request, out, err);
  }

  scratch_folder folder;
  admin_client client = admin_client::over_socket(folder / "control.sock"); // nobody answers there
  std::ostringstream out;
  std::ostringstream err;
};

} // namespace

CAF_TEST_FIXTURE_SCOPE(ctl_commands_tests, fixture)

  CAF_TEST(a node that does not answer is its own exit status) {
    for (const auto* command : {"status", "tree", "names", "metrics", "ask", "send", "publish",
                                "watch", "kill", "drain", "reload"}) {
      err.str("");
      CAF_CHECK_EQUAL(static_cast<int>(run(command)), static_cast<int>(ctl_status::unreachable));
      CAF_CHECK(err.str().starts_with("caf-ctl: cannot reach the node: "));
      CAF_CHECK(err.str().find("control.sock") != std::string::npos);
    }
    CAF_CHECK_EQUAL(out.str(), "");
  }

  CAF_TEST(a socket without a node is named with what to do) {
    run("status");
    CAF_CHECK(err.str().find(client.target() + ": no such socket: ") != std::string::npos);
    CAF_CHECK(err.str().find("port 80") == std::string::npos);
    err.str("");
    const auto where = *parse_socket_address("unix:" + client.target());
    const auto fd = ::socket(AF_UNIX, SOCK_STREAM, 0); // bound and gone, as after a kill
    CAF_REQUIRE(::bind(fd, where.get(), where.size) == 0);
    ::close(fd);
    run("status");
    CAF_CHECK(err.str().find(client.target() + ": nobody listens") != std::string::npos);
  }

  CAF_TEST(a message that is no JSON is a wrong use and never sent) {
    for (const auto* command : {"ask", "send", "publish"}) {
      err.str("");
      CAF_CHECK_EQUAL(static_cast<int>(run(command, "{name: Ada}")),
                      static_cast<int>(ctl_status::usage));
      CAF_CHECK(err.str().find("\"{name: Ada}\" is no JSON") != std::string::npos);
    }
  }

  CAF_TEST_FIXTURE_SCOPE_END()

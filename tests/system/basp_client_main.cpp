// A plain CAF program: `basp-client PORT NAME JSON` looks NAME up at a gateway and asks it.
#include <cstdlib>
#include <iostream>

#include <caf/all.hpp>
#include <caf/io/all.hpp>

#include "caf_app/base/error.hpp"
#include "caf_app/messages/configure.hpp"
#include "caf_app/messages/json.hpp"

namespace {

constexpr std::chrono::seconds patience{10};

struct config : caf::actor_system_config {
  config() {
    load<caf::io::middleman>();
    caf_app::add_messages(*this);
  }
};

int fail(const caf::error& why) {
  std::cerr << caf_app::describe(why) << std::endl;
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 4)
    return 2;
  config cfg;
  caf::actor_system system{cfg};
  const auto gateway =
      system.middleman().remote_actor("127.0.0.1", static_cast<uint16_t>(std::atoi(argv[1])));
  if (!gateway)
    return fail(gateway.error());
  caf::scoped_actor self{system};
  int status = 1;
  caf::actor found;
  self->request(*gateway, patience, std::string{argv[2]})
      .receive([&](const caf::actor& x) { found = x; }, [&](caf::error& why) { fail(why); });
  if (found)
    self->request(found, patience, caf_app::json_request{"call", argv[3]})
        .receive(
            [&](const caf_app::json_reply& reply) {
              std::cout << reply.value << std::endl;
              status = 0;
            },
            [&](caf::error& why) { fail(why); });
  return status;
}

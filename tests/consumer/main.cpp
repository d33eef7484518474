// Joins a cluster as a client, asks a named actor, and waits until that ends. Prints one line per
// step.
//
//   consumer CLUSTER NODE=HOST:PORT SECRET_FILE NAME PARAMS
#include <caf_app/app.hpp>
#include <caf_app/cluster_client.hpp>
#include <caf_app/messages/json.hpp>
#include <caf_app/messages/registry.hpp>
#include <caf_app/registry/asking.hpp>

#include <chrono>
#include <iostream>

namespace {

caf::behavior client(caf_app::app_actor* self, caf_app::app* host, const std::string& params) {
  return {
      [=](const caf_app::name_event& event) {
        if (event.change != caf_app::registry_change::present &&
            event.change != caf_app::registry_change::added)
          return;
        std::cout << "found " << event.name << std::endl;
        self->watch(event.holder);
        self->ask(event.holder, std::chrono::seconds{5}, caf_app::json_request{"call", params})
            .then(
                [](caf_app::json_reply& reply) {
                  std::cout << "reply " << reply.value << std::endl;
                },
                [=](caf::error& why) {
                  std::cout << "error " << caf_app::describe(why) << std::endl;
                  host->stop();
                });
      },
      [=](const caf_app::down& x) {
        std::cout << "down " << caf_app::describe(x.reason) << std::endl;
        host->stop();
      },
  };
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::cerr << "usage: consumer CLUSTER NODE=HOST:PORT SECRET_FILE NAME PARAMS" << std::endl;
    return 2;
  }
  caf_app::block_signals(); // before any thread exists
  const std::string peer{argv[2]};
  const auto equals = peer.find('=');
  auto secret = caf_app::read_cluster_secret(argv[3]);
  if (!secret || equals == std::string::npos) {
    std::cerr << (secret ? "no NODE=HOST:PORT: " + peer : caf_app::describe(secret.error()))
              << std::endl;
    return 2;
  }
  caf_app::app_options options;
  caf_app::log_options log;
  log.node = "consumer";
  options.log = caf_app::make_logger(log);
  options.books = std::make_shared<caf_app::metrics>();
  caf_app::app host{options};
  caf_app::cluster_client_options where;
  where.cluster = argv[1];
  where.name = "consumer";
  where.peers = {{peer.substr(0, equals), peer.substr(equals + 1)}};
  where.secret = *secret;
  auto joined = caf_app::join_cluster(host, where);
  if (!joined) {
    std::cerr << caf_app::describe(joined.error()) << std::endl;
    return 2;
  }
  caf_app::child_spec asking;
  asking.id = "client";
  asking.start = [&, name = std::string{argv[4]}, params = std::string{argv[5]}](
                     const caf_app::start_context& start) -> caf::expected<caf::actor> {
    auto actor = start.system.spawn(client, &host, params);
    host.names()->subscribe_names(actor, name);
    return actor;
  };
  host.add_phase(joined->leave);
  host.start({joined->spec, asking});
  return host.run();
}

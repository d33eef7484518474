#include "nodes/node.hpp"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <caf/actor_registry.hpp>

#include "actors/http/actor_handler.hpp"
#include "caf_app/base/time.hpp"
#include "caf_app/registry/registry_actor.hpp"
#include "caf_app/supervision/supervisor.hpp"
#include "nodes/admin_actor.hpp"
#include "nodes/admin_forward.hpp"
#include "nodes/basp_gateway.hpp"
#include "nodes/dashboard.hpp"
#include "nodes/demo_actors.hpp"
#include "nodes/named_child.hpp"

namespace caf_app {

namespace {

constexpr int control_backlog = 64;
constexpr std::chrono::seconds retire_margin{10};

/// Connections and files need descriptors: take what the hard limit allows. @returns the limit
size_t raise_descriptor_limit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

/// The folder of a node, private to its user.
caf::error make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed && ::chmod(folder.c_str(), S_IRWXU) != 0)
    failed.assign(errno, std::generic_category());
  if (failed)
    return caf::make_error(errc::start_failed,
                           "data folder " + folder.string() + ": " + failed.message());
  return caf::none;
}

std::string admin_name(const std::string& node) { return "admin." + node; }

} // namespace

node::node(node_options options, node_config_ptr config)
    : options_(std::move(options)), config_(std::move(config)), started_(steady_now()) {
  log_options log;
  log.format = config_->cluster.log.format;
  log.level = config_->cluster.log.level;
  log.node = own_name();
  app_options app_opts;
  app_opts.loops = config_->http->loops + (has_service_loop(*config_) ? 1 : 0);
  app_opts.pin_loops = config_->http->pin;
  app_opts.busy_poll = config_->cluster.cluster.busy_poll;
  if (config_->cluster.cluster.basp_gateway)
    app_opts.configure = load_basp;
  app_opts.shutdown = config_->cluster.shutdown;
  if (!config_->instance.empty()) // a retirement takes as long as its connections
    app_opts.shutdown.hard_deadline =
        std::max(app_opts.shutdown.hard_deadline, config_->scaler.retire_deadline + retire_margin);
  app_opts.log = make_logger(std::move(log));
  app_opts.books = std::make_shared<metrics>();
  app_ = std::make_unique<app>(std::move(app_opts));
}

caf::expected<std::unique_ptr<node>> node::start(node_options options, node_config_ptr config) {
  std::unique_ptr<node> result{new node(std::move(options), std::move(config))};
  auto& self = *result;
  auto& names = self.app_->names();
  self.children_.push_back(named_child(names, "registry", [names](caf::actor_system& system) {
    return caf::actor{system.spawn(registry_actor, names)};
  }));
  if (auto err = self.start_cluster())
    return err;
  if (self.options_.application)
    for (auto& child : self.options_.application(*self.app_))
      self.children_.push_back(std::move(child));
  if (auto err = self.start_eval())
    return err;
  if (auto err = self.start_web())
    return err;
  self.start_scaler();
  if (auto err = self.start_admin())
    return err;
  if (auto err = start_gateway(self.app_->system(), names,
                               self.config_->cluster.cluster.basp_gateway, self.children_))
    return err;
  self.add_phases();
  self.app_->on_reload([&self] { self.reload(); });
  self.app_->start(std::move(self.children_));
  return result;
}

http::http_service_options node::service_options(std::string id) const {
  http::http_service_options result;
  result.id = std::move(id);
  result.node = own_name();
  result.loops = app_->loops();
  result.names = app_->names();
  result.tree = app_->tree();
  result.books = app_->books();
  result.log = app_->log();
  return result;
}

caf::error node::start_cluster() {
  if (!config_->instance.empty())
    return join_as_instance();
  if (!config_->node->link || !has_links(config_->cluster))
    return caf::none;
  auto cluster = node_cluster::make(*app_, *config_);
  if (!cluster)
    return std::move(cluster.error());
  cluster_ = std::move(*cluster);
  children_.push_back(cluster_->spec());
  return caf::none;
}

caf::error node::start_eval() {
  const auto& roles = *config_->node;
  if (!has_evaluator(config_->cluster, roles))
    return caf::none;
  const auto folder = config_->cluster.node_dir(own_name());
  if (auto err = make_folder(folder))
    return err;
  eval::evaluator_options options;
  options.node = own_name();
  options.data_dir = folder;
  options.config = config_->eval;
  options.loop = app_->loops().front();
  options.names = app_->names();
  options.books = app_->books();
  options.log = app_->log();
  options.entropy = options_.entropy;
  auto made = eval::evaluator::make(std::move(options), roles.has(node_role::eval)
                                                            ? eval::evaluator_extent::whole
                                                            : eval::evaluator_extent::front_only);
  if (!made)
    return std::move(made.error());
  evaluator_ = std::move(*made);
  children_.push_back(evaluator_->spec());
  return caf::none;
}

caf::error node::start_web() {
  const auto descriptors = raise_descriptor_limit();
  const auto& roles = *config_->node;
  if (roles.has(node_role::demo))
    children_.push_back(demo::demo_supervisor(app_->names(), app_->loops().front()));
  if (!roles.has(node_role::http))
    return caf::none;
  auto config = config_->http;
  if (config->limits.max_connections > descriptors / 2) {
    auto lowered = std::make_shared<http::http_config>(*config);
    lowered->limits.max_connections = descriptors / 2;
    app_->log()->warning(speaker_, "max_connections lowered to half of RLIMIT_NOFILE",
                         {{"max_connections", lowered->limits.max_connections}});
    config = std::move(lowered);
  }
  auto options = service_options("http");
  options.loops.resize(config->loops);
  if (!config_->instance.empty())
    options.sharing = port_sharing::shared;
  options.config = std::move(config);
  auto web = http::http_service::make(std::move(options));
  if (!web)
    return std::move(web.error());
  web_ = std::move(*web);
  children_.push_back(web_->spec());
  return caf::none;
}

caf::error node::start_admin() {
  const auto folder = config_->cluster.node_dir(own_name());
  if (auto err = make_folder(folder))
    return err;
  const auto control = parse_socket_address("unix:" + (folder / "control.sock").string());
  if (!control)
    return std::move(control.error());
  auto socket = listen_unix(*control, control_backlog);
  if (!socket)
    return std::move(socket.error());

  auto config = std::make_shared<http::http_config>();
  config->server = "";
  http::http_site site;
  site.host = {"*"};
  if (config_->node->admin) {
    config->listen = {*config_->node->admin};
    if (config_->cluster.admin.token
            .empty()) // a page of another origin must not reach us by a name
      site.host = {config_->node->admin->host, "localhost"};
  }
  config->site.push_back(std::move(site));
  http::resolve_limits(*config);

  http::http_route route;
  route.path = "/";
  route.name = "admin";
  route.kind = http::route_kind::actor;
  route.actor = {admin_name(own_name()), http::actor_face::http};
  route.methods = {"GET", "POST"};
  auto options = service_options("listeners");
  options.purges = false; // those are for the caches of the web tier
  options.parent = "root/admin";
  options.loops = service_loops();
  options.config = std::move(config);
  options.sockets = {std::move(*socket)};
  options.books =
      std::make_shared<metrics>(); // who asks how busy the web tier is, is no load on it
  options.extras.push_back(
      {route, [names = app_->names(), books = options.books](const http::route_entry& entry) {
         return std::make_unique<http::actor_handler>(entry, names, *books);
       }});
  for (auto& extra : dashboard_routes(app_->names(), admin_name(own_name())))
    options.extras.push_back(std::move(extra));
  auto admin = http::http_service::make(std::move(options));
  if (!admin)
    return std::move(admin.error());
  admin_ = std::move(*admin);

  auto services = std::make_shared<admin_services>();
  services->names = app_->names();
  services->tree = app_->tree();
  services->books = app_->books();
  services->token = config_->cluster.admin.token;
  services->node = own_name();
  services->status = [this] { return status(); };
  services->reload = [this] { return reload(); };
  services->drain = [this] { app_->stop(); };
  services->cluster =
      cluster_ ? [this] { return cluster_->view(); } : std::function<cluster_view()>{};
  if (scaler_) {
    services->scaler = scaler_->board();
    services->instances = scaler_->metrics();
  }
  if (eval_scaler_)
    services->eval_scaler = eval_scaler_->board();
  supervisor_options keeper;
  keeper.children.push_back(
      named_child(app_->names(), admin_name(own_name()), [services](caf::actor_system& system) {
        return system.spawn(admin_actor, std::shared_ptr<const admin_services>{services});
      }));
  if (cluster_)
    keeper.children.push_back(named_child(
        app_->names(), door_name(options_.name),
        [names = app_->names(), admin = admin_name(options_.name)](caf::actor_system& system) {
          return system.spawn(admin_door, names, admin);
        },
        name_scope::cluster));
  keeper.children.push_back(admin_->spec());
  children_.push_back(supervisor_child("admin", std::move(keeper), std::chrono::seconds{5}));
  return caf::none;
}

} // namespace caf_app

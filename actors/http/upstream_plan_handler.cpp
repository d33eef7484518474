#include "actors/http/upstream_plan_handler.hpp"

#include <netdb.h>

#include <algorithm>

#include "caf_app/base/address.hpp"
#include "caf_app/base/error.hpp"
#include "caf_app/base/error_detail.hpp"

namespace caf_app::http {

namespace {

caf::error explained(const http_upstream& config, const caf::error& why) {
  return caf::make_error(errc::invalid_config,
                         "[[http.upstream]] " + config.name + ": " + detail_of(why));
}

caf::expected<std::vector<address_list>> resolve_all(const http_upstream& config) {
  std::vector<address_list> result;
  for (const auto& server : config.servers) {
    auto found = resolve_address(server.address);
    if (!found)
      return explained(config, found.error());
    result.push_back(std::move(*found));
  }
  return result;
}

caf::expected<std::shared_ptr<const tls_client_context>> load_tls(const http_upstream& config) {
  const auto secure =
      std::any_of(config.servers.begin(), config.servers.end(), [](const upstream_server& server) {
        return server.scheme == upstream_scheme::https;
      });
  if (!secure)
    return std::shared_ptr<const tls_client_context>{};
  tls_client_options options;
  options.verify = config.verify ? tls_verify::peer : tls_verify::none;
  options.ca = config.ca;
  options.alpn = {"http/1.1"};
  auto loaded = tls_client_context::load(options);
  if (!loaded)
    return explained(config, loaded.error());
  return loaded;
}

} // namespace

caf::expected<address_list> resolve_address(const std::string& text) {
  if (auto address = parse_socket_address(text))
    return address_list{std::move(*address)};
  const auto parts = parse_host_port(text);
  if (!parts)
    return parts.error();
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  const auto port = std::to_string(parts->port);
  if (const auto bad = ::getaddrinfo(parts->host.c_str(), port.c_str(), &hints, &list))
    return caf::make_error(errc::invalid_config, text + ": " + ::gai_strerror(bad));
  address_list result;
  for (const auto* each = list; each; each = each->ai_next) {
    socket_address address;
    std::copy_n(reinterpret_cast<const char*>(each->ai_addr), each->ai_addrlen,
                reinterpret_cast<char*>(&address.storage));
    address.size = each->ai_addrlen;
    result.push_back(address);
  }
  ::freeaddrinfo(list);
  if (result.empty())
    return caf::make_error(errc::invalid_config, text + ": no address");
  return result;
}

caf::expected<upstream_plan_ptr> upstream_plan::make(const http_upstream& config,
                                                     metrics& registry) {
  auto addresses = resolve_all(config);
  if (!addresses)
    return std::move(addresses.error());
  auto tls = load_tls(config);
  if (!tls)
    return std::move(tls.error());
  std::optional<fpm_metrics> fpm;
  if (!config.status_path.empty())
    fpm.emplace(registry, config.name);
  return upstream_plan_ptr{new upstream_plan{config, std::move(*addresses), std::move(*tls),
                                             upstream_metrics{registry, config.name}, fpm}};
}

std::string upstream_plan::tls_name(size_t server) const {
  if (!config.sni.empty())
    return config.sni;
  const auto parts = parse_host_port(config.servers[server].address);
  return parts ? parts->host : std::string{};
}

caf::error verify_upstreams(const http_config& config) {
  for (const auto& each : config.upstream) {
    if (auto addresses = resolve_all(each); !addresses)
      return std::move(addresses.error());
    if (auto tls = load_tls(each); !tls)
      return std::move(tls.error());
  }
  return caf::none;
}

} // namespace caf_app::http

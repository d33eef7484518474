#include "actors/http/certificates_actor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "caf_app/base/error.hpp"

namespace caf_app::http {

namespace {

constexpr std::chrono::seconds look_period{60}; // a reload may shorten the rotation

tls_client_auth to_tls(client_auth rule) {
  switch (rule) {
    case client_auth::none: return tls_client_auth::none;
    case client_auth::request: return tls_client_auth::request;
    case client_auth::require: return tls_client_auth::require;
  }
  return tls_client_auth::none;
}

/// What `site` says for itself, else what [http.tls] says.
tls_site_options options_of(const http_tls& shared, const http_site_tls& site,
                            std::vector<std::string> hosts) {
  tls_site_options result;
  result.hosts = std::move(hosts);
  const auto& cert = site.cert.empty() ? shared.cert : site.cert;
  const auto& key = site.cert.empty() ? shared.key : site.key;
  for (size_t i = 0; i < cert.size(); ++i)
    result.key_pairs.push_back({cert[i], key[i]});
  result.client_auth = to_tls(site.client_auth.value_or(shared.client_auth));
  result.client_ca = site.client_ca.empty() ? shared.client_ca : site.client_ca;
  result.client_crl = shared.client_crl;
  result.ocsp_file = shared.ocsp_file; // stapled to the certificate that it speaks of only
  return result;
}

tls_options options_of(const http_config& config) {
  const auto& tls = config.tls;
  tls_options result;
  if (!tls.cert.empty()) // the first one is for clients without or with an unknown name
    result.sites.push_back(options_of(tls, {}, {}));
  for (const auto& site : config.site)
    if (!tls.cert.empty() || !site.tls.cert.empty())
      result.sites.push_back(options_of(tls, site.tls, site.host));
  result.min_version =
      tls.min_version == min_tls_version::v1_3 ? tls_version::v1_3 : tls_version::v1_2;
  result.ciphers = tls.ciphers;
  result.curves = tls.curves;
  if (!config.http2)
    result.alpn = {"http/1.1"};
  result.unknown_name = tls.unknown_sni == unknown_sni::reject ? tls_unknown_name::reject
                                                               : tls_unknown_name::first_site;
  return result;
}

caf::expected<tls_ticket_keys> read_ring(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::ostringstream content;
  if (!in || !(content << in.rdbuf()))
    return caf::make_error(errc::invalid_config,
                           file + ": cannot be read: " + std::strerror(errno));
  auto ring = tls_ticket_keys::from_bytes(content.str());
  if (!ring)
    return caf::make_error(errc::invalid_config,
                           file + ": holds " + std::to_string(content.str().size()) +
                               " bytes, expected 80 (a key) or 240 (previous, current, next)");
  return std::move(*ring);
}

} // namespace

bool has_certificates(const http_config& config) {
  return !config.tls.cert.empty() ||
         std::any_of(config.site.begin(), config.site.end(),
                     [](const http_site& site) { return !site.tls.cert.empty(); });
}

caf::expected<std::shared_ptr<certificates>> certificates::make(const http_config& config,
                                                                steady::time_point now) {
  auto ring = tls_ticket_keys::random();
  if (!ring)
    return caf::make_error(errc::start_failed, std::string{"no random bytes for ticket keys"});
  std::shared_ptr<certificates> result{new certificates(std::move(*ring))};
  result->rotated_ = now;
  auto first = result->load(config);
  if (!first)
    return std::move(first.error());
  result->use(std::move(*first));
  return result;
}

caf::expected<certificates::loaded> certificates::load(const http_config& config) const {
  loaded result;
  result.rotation = config.tls.ticket_rotate;
  if (!has_certificates(config))
    return result;
  if (!config.tls.ticket_key_file.empty()) {
    auto read = read_ring(config.tls.ticket_key_file);
    if (!read)
      return std::move(read.error());
    result.ring = std::move(*read);
  }
  std::optional<tls_ticket_keys> ring;
  if (config.tls.tickets) {
    const std::lock_guard guard{mutex_};
    ring = result.ring ? *result.ring : ring_;
  }
  auto context = tls_context::load(options_of(config), ring);
  if (!context)
    return std::move(context.error());
  result.context = std::move(*context);
  return result;
}

void certificates::use(loaded next) {
  const std::lock_guard guard{mutex_};
  context_ = std::move(next.context);
  rotation_ = next.rotation;
  from_file_ = next.ring.has_value();
  if (next.ring)
    ring_ = std::move(*next.ring);
  show_ring(); // it may have turned since it was loaded
}

tls_context_ptr certificates::current() const {
  const std::lock_guard guard{mutex_};
  return context_;
}

void certificates::show_ring() const {
  if (context_)
    context_->set_ticket_keys(ring_);
}

void certificates::rotate(steady::time_point now) {
  const std::lock_guard guard{mutex_};
  if (follows_ || from_file_ || now - rotated_ < rotation_)
    return;
  rotated_ = now;
  if (auto next = ring_.rotated()) {
    ring_ = std::move(*next);
    show_ring();
  }
}

std::chrono::milliseconds certificates::rotation() const {
  const std::lock_guard guard{mutex_};
  return std::min<std::chrono::milliseconds>(rotation_, look_period);
}

std::string certificates::ring() const {
  const std::lock_guard guard{mutex_};
  return ring_.to_bytes();
}

bool certificates::follow(std::string_view ring) {
  auto keys = tls_ticket_keys::from_bytes(ring);
  if (!keys)
    return false;
  const std::lock_guard guard{mutex_};
  follows_ = true;
  ring_ = std::move(*keys);
  show_ring();
  return true;
}

caf::behavior certificates_actor(named_actor<"http.certificates">* self,
                                 std::shared_ptr<certificates> keys) {
  self->delayed_send(self, keys->rotation(), caf::tick_atom_v);
  return {[self, keys](caf::tick_atom) {
    keys->rotate(self->clock().now());
    self->delayed_send(self, keys->rotation(), caf::tick_atom_v);
  }};
}

} // namespace caf_app::http

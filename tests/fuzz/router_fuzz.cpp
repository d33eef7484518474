// Any host and path against a fixed configuration: normal forms are stable and safe, and the trie
// agrees with a search through all routes. Input: host, '\n', path.
#include "actors/http/router.hpp"

#include <iostream>

#include "caf_app/base/assert.hpp"

#include "actors/http/host.hpp"

using namespace caf_app::http;

namespace {

constexpr method_set reading{method::get, method::head};

std::vector<site_spec> make_sites() {
  const auto route = [](std::string path, path_match match, path_rules rules, uint32_t index) {
    return route_spec{std::move(path), match, reading, options_answer::route, rules, index};
  };
  constexpr path_rules plain;
  site_spec a;
  a.hosts = {"a.example", "*.w.example"};
  a.index = 1;
  a.routes = {
      route("/", path_match::prefix, plain, 1),
      route("/x", path_match::prefix, plain, 2),
      route("/x", path_match::exact, plain, 3),
      route("/x/", path_match::exact, plain, 4),
      route("/x/y/z", path_match::prefix, plain, 5),
      route("/keep", path_match::prefix, {slashes::keep, encoded_slash::keep}, 6),
      route("/x%2Fy", path_match::exact, {slashes::keep, encoded_slash::keep}, 7),
  };
  site_spec b;
  b.hosts = {"*.b.w.example", "b.w.example"};
  b.index = 2;
  b.routes = {
      route("/x/y", path_match::exact, plain, 1),
      route("/static/", path_match::prefix, plain, 2),
  };
  return {a, b};
}

// How well a route fits: the length of its path, an exact one before a prefix; -1 if it does not.
int64_t fit(const route_spec& route, std::string_view path) {
  std::string_view own = route.path;
  if (route.match == path_match::exact)
    return own == path ? static_cast<int64_t>(own.size()) * 2 + 1 : -1;
  if (own.ends_with('/'))
    own.remove_suffix(1);
  const bool fits =
      path.substr(0, own.size()) == own && (path.size() == own.size() || path[own.size()] == '/');
  return fits ? static_cast<int64_t>(own.size()) * 2 : -1;
}

const site_spec* find_site_simply(const std::vector<site_spec>& sites, std::string_view host) {
  const site_spec* best = nullptr;
  size_t length = 0;
  for (const auto& site : sites) {
    for (std::string_view name : site.hosts) {
      const bool is_wildcard = name.starts_with("*.");
      const bool fits = is_wildcard
                            ? host.size() > name.size() - 1 && host.ends_with(name.substr(1))
                            : host == name;
      const auto weight = is_wildcard ? name.size() : host.size() + 2;
      if (fits && weight > length) {
        best = &site;
        length = weight;
      }
    }
  }
  return best;
}

const route_spec* find_route_simply(const site_spec& site, std::string_view path) {
  const route_spec* best = nullptr;
  int64_t best_fit = -1;
  for (const auto& route : site.routes) {
    if (fit(route, path) > best_fit) {
      best = &route;
      best_fit = fit(route, path);
    }
  }
  return best;
}

void check_normal(std::string_view raw, path_rules rules) {
  std::string scratch;
  const auto normal = normalise_path(raw, scratch, rules);
  if (normal.error != fault::none)
    return;
  const auto path = normal.path;
  CAF_APP_ASSERT(path.starts_with('/') && path.find('\\') == std::string_view::npos);
  CAF_APP_ASSERT(path.find("%00") == std::string_view::npos);
  for (const char* dots : {"/../", "/./", "%2E", "%5C"})
    CAF_APP_ASSERT(path.find(dots) == std::string_view::npos);
  CAF_APP_ASSERT(!path.ends_with("/..") && !path.ends_with("/."));
  if (rules.slashes == slashes::merge)
    CAF_APP_ASSERT(path.find("//") == std::string_view::npos);
  if (rules.encoded_slash == encoded_slash::reject)
    CAF_APP_ASSERT(path.find("%2F") == std::string_view::npos);
  std::string again;
  CAF_APP_ASSERT(normalise_path(path, again, rules).path == path);
}

void check_route(const std::vector<site_spec>& sites, const router& routes, std::string_view host,
                 std::string_view raw) {
  std::string scratch;
  const auto decision = routes.find({host, raw, method::get}, scratch);
  const auto* site = find_site_simply(sites, host);
  if (decision.error == fault::path || decision.error == fault::target)
    return;
  if (site == nullptr) {
    CAF_APP_ASSERT(decision.outcome == route_outcome::unknown_host);
    return;
  }
  CAF_APP_ASSERT(decision.site == site->index);
  const auto* route = find_route_simply(*site, decision.path);
  if (route == nullptr) {
    CAF_APP_ASSERT(decision.error == fault::not_found);
    return;
  }
  CAF_APP_ASSERT(decision.outcome == route_outcome::found && decision.route == route->index);
  CAF_APP_ASSERT(decision.path.ends_with(decision.below));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto sites = make_sites();
  static const auto routes = std::move(*router::make(sites));
  const std::string_view input{reinterpret_cast<const char*>(data), size};
  const auto border = std::min(input.find('\n'), input.size());
  const auto parts = parse_target(method::get, input.substr(std::min(border + 1, input.size())));
  if (!parts || parts->form != target_form::origin)
    return 0;
  for (auto slash_rule : {slashes::keep, slashes::merge})
    for (auto encoded : {encoded_slash::reject, encoded_slash::keep})
      check_normal(parts->path, {slash_rule, encoded});
  const auto host = parse_authority(input.substr(0, border));
  std::string folded;
  if (host)
    check_route(sites, routes, fold_host(*host, folded), parts->path);
  return 0;
}

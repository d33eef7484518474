// The half of router that runs once per configuration.
#include "actors/http/router.hpp"

#include <algorithm>

#include "caf_app/base/error.hpp"

#include "actors/http/host.hpp"

namespace caf_app::http {

namespace {

caf::error refuse(std::string text) {
  return caf::make_error(errc::invalid_config, std::move(text));
}

// A name without port, as requests have it.
std::optional<std::string> valid_name(std::string_view host) {
  const auto parts = parse_authority(host);
  if (!parts || parts->port || host.back() == ':')
    return std::nullopt;
  std::string folded;
  return std::string{fold_host(*parts, folded)};
}

} // namespace

caf::expected<router> router::make(const std::vector<site_spec>& sites) {
  router result;
  for (const auto& spec : sites)
    if (auto error = result.add(spec))
      return error;
  return result;
}

caf::error router::add(const site_spec& spec) {
  const auto position = static_cast<uint32_t>(sites_.size());
  auto& added = sites_.emplace_back();
  added.index = spec.index;
  added.nodes.emplace_back();
  if (spec.hosts.empty())
    return refuse("a site needs a host");
  for (const auto& host : spec.hosts)
    if (auto error = add_host(host, position))
      return error;
  for (const auto& route : spec.routes)
    if (auto error = add_route(added, route))
      return error;
  return {};
}

caf::error router::add_host(const std::string& host, uint32_t position) {
  bool is_new = false;
  if (host == "*") {
    is_new = !default_site_;
    default_site_ = position;
  } else {
    const bool is_wildcard = host.starts_with("*.");
    const auto name = valid_name(is_wildcard ? std::string_view{host}.substr(2) : host);
    if (!name)
      return refuse("host \"" + host + "\": expected a name, \"*.name\" or \"*\", without port");
    is_new = (is_wildcard ? wildcards_ : exact_).emplace(*name, position).second;
  }
  return is_new ? caf::error{} : refuse("host \"" + host + "\" is named twice");
}

caf::error router::add_route(site& to, const route_spec& spec) {
  const auto where = "route \"" + spec.path + "\": ";
  const auto parts = parse_target(method::get, spec.path);
  if (!parts || parts->form != target_form::origin || parts->has_query)
    return refuse(where + "expected a path that begins with \"/\"");
  std::string scratch;
  const auto normal = normalise_path(spec.path, scratch, {slashes::keep, encoded_slash::keep});
  if (normal.error != fault::none)
    return refuse(where + "expected a path within the root, without backslash or NUL");
  auto path = normal.path;
  if (spec.match == path_match::prefix && path.back() == '/')
    path.remove_suffix(1);
  entry added{spec.match, spec.options, spec.methods & routable_methods, spec.rules, spec.index};
  if (added.methods.contains(method::get))
    added.methods.insert(method::head);
  if (added.methods.empty())
    return refuse(where + "expected at least one method");
  auto& entries = descend(to, path).entries;
  for (const auto& other : entries)
    if (other.match == added.match && !(other.methods & added.methods).empty())
      return refuse(where + "another route has the same path and method");
  to.methods = to.methods | added.methods;
  const auto goes_before = [](const entry& new_one, const entry& old_one) {
    return new_one.match == path_match::exact && old_one.match == path_match::prefix;
  };
  entries.insert(std::upper_bound(entries.begin(), entries.end(), added, goes_before), added);
  return {};
}

// Makes the nodes down to the end of a path, which is empty or begins with '/'.
router::node& router::descend(site& in, std::string_view path) {
  uint32_t at = 0;
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    const auto before = [&](uint32_t child, std::string_view wanted) {
      return in.nodes[child].segment < wanted;
    };
    auto& children = in.nodes[at].children;
    const auto child = std::lower_bound(children.begin(), children.end(), segment, before);
    if (child != children.end() && in.nodes[*child].segment == segment) {
      at = *child;
      continue;
    }
    const auto added = static_cast<uint32_t>(in.nodes.size());
    children.insert(child, added);
    in.nodes.push_back({std::string{segment}, {}, {}}); // from here on `children` dangles
    at = added;
  }
  return in.nodes[at];
}

} // namespace caf_app::http

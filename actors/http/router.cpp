#include "actors/http/router.hpp"

#include <algorithm>

#include "actors/http/host.hpp"

namespace caf_app::http {

namespace {

bool has_encoded_slash(std::string_view path) noexcept {
  return path.find("%2F") != std::string_view::npos;
}

// Takes the next "/segment" off a path and returns the segment.
std::string_view next_segment(std::string_view& path) noexcept {
  path.remove_prefix(1);
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

} // namespace

route_decision router::find(const route_query& query, std::string& scratch) const {
  route_decision result;
  result.outcome = route_outcome::refused;
  const auto refuse = [&](fault why) {
    result.error = why;
    return result;
  };
  if (query.method == method::connect)
    return refuse(fault::method_connect);
  const auto* in = site_for(query.host);
  const bool is_server = query.path == "*";
  place where;
  if (!is_server) {
    const auto normal = normalise_path(query.path, scratch, {slashes::keep, encoded_slash::keep});
    if (normal.error != fault::none)
      return refuse(normal.error);
    result.path = normal.path;
    where = locate(in, result.path);
    const auto error = apply_rules(in, where, query.method, result.path, scratch);
    if (error != fault::none)
      return refuse(error);
  }
  if (query.method == method::unknown)
    return refuse(fault::method_unknown);
  if (query.misdirected)
    return refuse(fault::misdirected);
  if (in == nullptr) {
    result.outcome = route_outcome::unknown_host;
    return refuse(fault::misdirected);
  }
  result.site = in->index;
  if (is_server) {
    result.outcome = route_outcome::options;
    result.allow = in->methods | method_set{method::options};
    return result;
  }
  if (where.at == nullptr)
    return refuse(fault::not_found);
  decide(where, query.method, result);
  return result;
}

std::optional<uint32_t> router::find_site(std::string_view host) const noexcept {
  const auto* found = site_for(host);
  return found ? std::optional{found->index} : std::nullopt;
}

const router::site* router::site_for(std::string_view host) const noexcept {
  if (!host.empty()) {
    if (!exact_.empty()) {
      if (const auto found = exact_.find(host); found != exact_.end())
        return &sites_[found->second];
    }
    if (!wildcards_.empty()) {
      for (auto dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.', dot + 1))
        if (const auto found = wildcards_.find(host.substr(dot + 1)); found != wildcards_.end())
          return &sites_[found->second];
    }
  }
  return default_site_ ? &sites_[*default_site_] : nullptr;
}

router::place router::locate(const site* in, std::string_view path) noexcept {
  if (in == nullptr)
    return {};
  place best;
  const auto total = path.size();
  const auto* at = &in->nodes.front();
  for (;;) {
    const bool is_whole = path.empty();
    if (!at->entries.empty() && (is_whole || at->entries.back().match == path_match::prefix))
      best = {at, total - path.size(), is_whole};
    if (is_whole)
      return best;
    const auto segment = next_segment(path);
    const auto& children = at->children;
    const auto before = [&](uint32_t child, std::string_view wanted) {
      return in->nodes[child].segment < wanted;
    };
    const auto child = std::lower_bound(children.begin(), children.end(), segment, before);
    if (child == children.end() || in->nodes[*child].segment != segment)
      return best;
    at = &in->nodes[*child];
  }
}

// The entry that serves a method, else the first that matches the path.
const router::entry* router::select(const place& where, method what) noexcept {
  const entry* first = nullptr;
  for (const auto& candidate : where.at->entries) {
    if (!where.is_whole && candidate.match == path_match::exact)
      continue;
    if (candidate.methods.contains(what))
      return &candidate;
    if (first == nullptr)
      first = &candidate;
  }
  return first;
}

// The path is routed as sent first; what the route found that way wants of paths may change the
// path and so the route, whose rules count then as well. A merged path does not change any more.
fault router::apply_rules(const site* in, place& where, method what, std::string_view& path,
                          std::string& scratch) {
  auto rules = where.at ? select(where, what)->rules : path_rules{};
  if (rules.slashes == slashes::merge && path.find("//") != std::string_view::npos) {
    path = normalise_path(path, scratch, {slashes::merge, encoded_slash::keep}).path;
    where = locate(in, path);
    const auto merged = where.at ? select(where, what)->rules : path_rules{};
    if (merged.encoded_slash == encoded_slash::reject)
      rules.encoded_slash = encoded_slash::reject;
  }
  if (rules.encoded_slash == encoded_slash::reject && has_encoded_slash(path))
    return fault::path;
  return fault::none;
}

void router::decide(const place& where, method what, route_decision& result) noexcept {
  const auto* chosen = select(where, what);
  result.route = chosen->index;
  if (chosen->match == path_match::prefix)
    result.below = result.path.substr(where.length);
  bool server_answers_options = false;
  for (const auto& candidate : where.at->entries) {
    if (!where.is_whole && candidate.match == path_match::exact)
      continue;
    result.allow = result.allow | candidate.methods;
    server_answers_options |= candidate.options == options_answer::server;
  }
  if (server_answers_options)
    result.allow.insert(method::options);
  if (what == method::options && server_answers_options)
    result.outcome = route_outcome::options;
  else if (chosen->methods.contains(what))
    result.outcome = route_outcome::found;
  else
    result.error = fault::method_refused;
}

} // namespace caf_app::http

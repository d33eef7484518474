// (host, path, method) -> site and route, or why there is none. Immutable: built once per
// configuration and shared by pointer between all connections; a lookup allocates nothing.
// Hosts: exact, then the longest wildcard, then "*". Paths: the longest route on segment borders,
// an exact route before a prefix of the same length. Order of refusals: 421, 404, 405.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <caf/expected.hpp>

#include "actors/http/method.hpp"
#include "actors/http/uri.hpp"

namespace caf_app::http {

enum class path_match : uint8_t {
  prefix, ///< the path itself and everything below it; "/a" and "/a/" mean the same
  exact,
};

/// Who answers OPTIONS on a route.
enum class options_answer : uint8_t {
  server, ///< 204 with Allow, whether or not the methods have it
  route,  ///< the route's handler, if its methods have it
};

/// A route as the configuration names it.
struct route_spec {
  std::string path; ///< begins with '/', escapes where RFC 3986 wants them
  path_match match = path_match::prefix;
  method_set methods; ///< GET brings HEAD along
  options_answer options = options_answer::route;
  path_rules rules;   ///< what this route wants of its paths
  uint32_t index = 0; ///< the caller's number; comes back in decisions
};

/// A site as the configuration names it.
struct site_spec {
  std::vector<std::string> hosts; ///< "example.org", "*.example.org" or "*"
  std::vector<route_spec> routes;
  uint32_t index = 0; ///< the caller's number; comes back in decisions
};

/// What a router looks at.
struct route_query {
  std::string_view host; ///< in lower case, as h1_request::host; empty = site "*"
  std::string_view path; ///< of the target, raw; "*" with OPTIONS, empty with CONNECT
  http::method method = http::method::get;
  bool misdirected = false; ///< the caller knows already that the scheme is another listener's
};

enum class route_outcome : uint8_t {
  found,
  options,      ///< answer 204 with Allow
  unknown_host, ///< no site: 421, 404 or close, as configured
  refused,      ///< answer as route_decision::error says
};

/// What became of a request.
struct route_decision {
  route_outcome outcome = route_outcome::unknown_host;
  /// With `refused`: path, target, method_unknown, misdirected, not_found, method_refused or
  /// method_connect. With `unknown_host`: misdirected.
  fault error = fault::none;
  uint32_t site = 0;      ///< index of the site; valid from 404 on
  uint32_t route = 0;     ///< index of the route, with `found`, and `options` but for "*"
  method_set allow;       ///< with `options` and method_refused
  std::string_view path;  ///< normal path, by the rules of the route
  std::string_view below; ///< what of `path` is below a prefix route: empty or begins with '/'
};

class router {
public:
  /// Errors (errc::invalid_config): a host or path that is not valid, a host of two sites, two
  /// routes for the same path and method.
  static caf::expected<router> make(const std::vector<site_spec>& sites);

  /// Decides on a request, in the order 400, 501, 421, 404, 405.
  /// @param scratch holds a path that was not normal; must outlive the decision
  route_decision find(const route_query& query, std::string& scratch) const;

  /// @returns the caller's number of the site for `host`
  std::optional<uint32_t> find_site(std::string_view host) const noexcept;

private:
  struct string_hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };

  using host_map = std::unordered_map<std::string, uint32_t, string_hash, std::equal_to<>>;

  // A route at its place in the trie.
  struct entry {
    path_match match;
    options_answer options;
    method_set methods;
    path_rules rules;
    uint32_t index;
  };

  // One segment of a path. The root stands before the first '/'.
  struct node {
    std::string segment;
    std::vector<uint32_t> children; // numbers of nodes, by segment
    std::vector<entry> entries;     // exact ones first
  };

  struct site {
    uint32_t index = 0;
    method_set methods; // of all its routes
    std::vector<node> nodes;
  };

  // The longest match of a path.
  struct place {
    const node* at = nullptr; // nullptr: no route
    size_t length = 0;        // of the path down to here
    bool is_whole = false;    // the path ends here, so exact routes count
  };

  router() = default;

  const site* site_for(std::string_view host) const noexcept;
  caf::error add(const site_spec& spec);
  caf::error add_host(const std::string& host, uint32_t position);
  static caf::error add_route(site& to, const route_spec& spec);
  static node& descend(site& in, std::string_view path);
  static place locate(const site* in, std::string_view path) noexcept;
  static const entry* select(const place& where, method what) noexcept;
  static fault apply_rules(const site* in, place& where, method what, std::string_view& path,
                           std::string& scratch);
  static void decide(const place& where, method what, route_decision& result) noexcept;

  std::vector<site> sites_;
  host_map exact_;
  host_map wildcards_; // without "*."
  std::optional<uint32_t> default_site_;
};

} // namespace caf_app::http

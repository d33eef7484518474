// Who is at the other end of a link: a node has a name from the cluster file, and 128 random bits
// that are new at each start. Everything that crosses a link is bound to the pair, so that a node
// that was restarted, or declared dead, is never mistaken for its former self.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

#include <caf/meta/type_name.hpp>

namespace caf_app {

/// 128 random bits; all zero means none.
struct incarnation {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const incarnation&) const = default;
  /// Whether it is one.
  explicit operator bool() const noexcept { return (high | low) != 0; }
};

/// One life of a node.
struct member_id {
  std::string name;
  incarnation life;

  auto operator<=>(const member_id&) const = default;
};

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, incarnation& x) {
  return f(caf::meta::type_name("incarnation"), x.high, x.low);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, member_id& x) {
  return f(caf::meta::type_name("member_id"), x.name, x.life);
}

/// 32 hexadecimal digits.
std::string to_string(const incarnation& x);

/// "<name>/<first 8 digits of the incarnation>", for logs.
std::string to_string(const member_id& x);

} // namespace caf_app

/// For tables by incarnation; the bits are random already.
template <>
struct std::hash<caf_app::incarnation> {
  size_t operator()(const caf_app::incarnation& x) const noexcept {
    return static_cast<size_t>(x.high ^ (x.low * 0x9e3779b97f4a7c15));
  }
};

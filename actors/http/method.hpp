// Request methods, and sets of them as a route or an `Allow` field needs them. RFC 9110 §9, RFC
// 5789.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace caf_app::http {

enum class method : uint8_t {
  unknown, ///< a valid token, but none of ours: 501
  get,
  head,
  post,
  put,
  patch,
  delete_,
  options,
  trace,
  connect,
};

/// Methods are case-sensitive. @returns method::unknown for everything else
method parse_method(std::string_view text) noexcept;

/// @returns the name on the wire; "UNKNOWN" for method::unknown
std::string_view to_string(method what) noexcept;

/// Methods that may be sent once more when their outcome is unknown. RFC 9110 §9.2.2
bool is_idempotent(method what) noexcept;

/// Methods that ask for no change. RFC 9110 §9.2.1
bool is_safe(method what) noexcept;

/// A set of methods; `unknown` is never a member.
class method_set {
public:
  constexpr method_set() noexcept = default;

  constexpr method_set(std::initializer_list<method> members) noexcept {
    for (auto member : members)
      insert(member);
  }

  constexpr void insert(method member) noexcept {
    bits_ |= static_cast<uint16_t>(1u << static_cast<unsigned>(member));
    bits_ &= 0xfffe;
  }

  constexpr bool contains(method what) const noexcept {
    return (bits_ >> static_cast<unsigned>(what)) & 1u;
  }

  constexpr bool empty() const noexcept { return bits_ == 0; }

  constexpr method_set operator|(method_set other) const noexcept {
    method_set result;
    result.bits_ = bits_ | other.bits_;
    return result;
  }

  constexpr method_set operator&(method_set other) const noexcept {
    method_set result;
    result.bits_ = bits_ & other.bits_;
    return result;
  }

  constexpr bool operator==(const method_set&) const noexcept = default;

private:
  uint16_t bits_ = 0;
};

/// What a site may route: everything but TRACE and CONNECT.
constexpr method_set routable_methods{method::get,   method::head,    method::post,   method::put,
                                      method::patch, method::delete_, method::options};

/// @returns the value of an `Allow` field, for example "GET, HEAD, OPTIONS"
std::string to_string(method_set methods);

} // namespace caf_app::http

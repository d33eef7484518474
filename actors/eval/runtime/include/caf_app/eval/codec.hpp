// Types that cross: how each reads from and writes to JSON. `crosses<T>` is what the generated code
// asserts, so that a type which does not cross is a diagnostic and not a page of templates.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11/algorithm.hpp>

#include "caf_app/eval/json.hpp"
#include "caf_app/eval/numbers.hpp"
#include "caf_app/eval/results.hpp"

namespace caf_app::eval {

/// Why a value was refused, and where inside it: ".items[3].price", empty for the value itself.
struct decode_fault {
  std::string path;
  std::string text; ///< "expected an array, got 3"
};

/// How T reads from and writes to JSON; there is none for a type that does not cross.
///
/// `decode(from, to, fault)` returns false and fills `fault` if the value is no T; `to` is then
/// half done. `encode(value)` throws std::domain_error for what JSON cannot hold: NaN, infinities,
/// text that is not UTF-8 (RFC 8259).
template <class T>
struct codec;

/// nat, integer: digits only, as many as there are; 1.0 and 1e3 are refused. int64_t: the same in
/// 64 bits. double: refused if too large for one, zero if too close to it. json: any value; one
/// that a project built is read again as it is written, because nothing has checked it yet. unit:
/// null.
#define CAF_APP_EVAL_CODEC(Type)                                                                   \
  template <>                                                                                      \
  struct codec<Type> {                                                                             \
    static bool decode(const json& from, Type& to, decode_fault& fault);                           \
    static json encode(const Type& value);                                                         \
  };

CAF_APP_EVAL_CODEC(nat)
CAF_APP_EVAL_CODEC(integer)
CAF_APP_EVAL_CODEC(int64_t)
CAF_APP_EVAL_CODEC(double)
CAF_APP_EVAL_CODEC(bool)
CAF_APP_EVAL_CODEC(std::string)
CAF_APP_EVAL_CODEC(json)
CAF_APP_EVAL_CODEC(unit)
#undef CAF_APP_EVAL_CODEC

namespace detail {

/// Says "expected WHAT, got ...". @returns false, for a decoder to return
bool expected(decode_fault& fault, const char* what, const json& got);

/// These put "[3]" or ".price" in front of the path, from the inside out.
void at_index(decode_fault& fault, size_t index);
void at_member(decode_fault& fault, std::string_view name);

/// @param from an object
/// @returns whether all its members are among `names`, of which there are `count`
bool known_members(const json& from, const char* const* names, size_t count, decode_fault& fault);

/// Says that a member is missing. @returns false
bool missing(decode_fault& fault, const char* name);

/// @throws std::domain_error if the name is not UTF-8
std::string checked_name(const std::string& name);

/// Descriptors of the public members, inherited ones included (Boost.Describe).
template <class T>
using members_of = boost::describe::describe_members<T, boost::describe::mod_public |
                                                            boost::describe::mod_inherited>;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
concept described = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;

} // namespace detail

/// An array.
template <class T>
struct codec<std::vector<T>> {
  static bool decode(const json& from, std::vector<T>& to, decode_fault& fault) {
    auto items = from.if_array();
    if (!items)
      return detail::expected(fault, "an array", from);
    to.clear();
    to.reserve(items->size());
    for (size_t i = 0; i < items->size(); ++i) {
      T item{};
      if (!codec<T>::decode((*items)[i], item, fault)) {
        detail::at_index(fault, i);
        return false;
      }
      to.push_back(std::move(item));
    }
    return true;
  }

  static json encode(const std::vector<T>& value) {
    json::array items;
    items.reserve(value.size());
    for (const T& item : value)
      items.push_back(codec<T>::encode(item));
    return items;
  }
};

/// The value or null. What is null itself (unit, json, another optional) comes back as nothing.
template <class T>
struct codec<std::optional<T>> {
  static bool decode(const json& from, std::optional<T>& to, decode_fault& fault) {
    to.reset();
    return from.is_null() || codec<T>::decode(from, to.emplace(), fault);
  }

  static json encode(const std::optional<T>& value) {
    return value ? codec<T>::encode(*value) : json{};
  }
};

/// An object with members of any name; written sorted by name, bytewise.
template <class T>
struct codec<std::map<std::string, T>> {
  static bool decode(const json& from, std::map<std::string, T>& to, decode_fault& fault) {
    auto members = from.if_object();
    if (!members)
      return detail::expected(fault, "an object", from);
    to.clear();
    for (auto& member : *members)
      if (!codec<T>::decode(member.value, to[member.name], fault)) {
        detail::at_member(fault, member.name);
        return false;
      }
    return true;
  }

  static json encode(const std::map<std::string, T>& value) {
    json::object members;
    members.reserve(value.size());
    for (auto& [name, item] : value)
      members.push_back({detail::checked_name(name), codec<T>::encode(item)});
    return members;
  }
};

/// Structs described with BOOST_DESCRIBE_STRUCT: an object with exactly the described members;
/// optional ones may be absent.
template <detail::described T>
struct codec<T> {
  static bool decode(const json& from, T& to, decode_fault& fault) {
    if (!from.if_object())
      return detail::expected(fault, "an object", from);
    bool ok = true;
    boost::mp11::mp_for_each<detail::members_of<T>>([&](auto d) {
      using member = std::remove_cvref_t<decltype(to.*d.pointer)>;
      if (!ok)
        return;
      auto value = from.find(d.name);
      if (value) {
        ok = codec<member>::decode(*value, to.*d.pointer, fault);
        if (!ok)
          detail::at_member(fault, d.name);
      } else if constexpr (detail::is_optional<member>) {
        (to.*d.pointer).reset();
      } else {
        ok = detail::missing(fault, d.name);
      }
    });
    return ok && known(from, fault);
  }

  static json encode(const T& value) {
    json::object members;
    boost::mp11::mp_for_each<detail::members_of<T>>([&](auto d) {
      using member = std::remove_cvref_t<decltype(value.*d.pointer)>;
      members.push_back({d.name, codec<member>::encode(value.*d.pointer)});
    });
    return members;
  }

private:
  static bool known(const json& from, decode_fault& fault) {
    constexpr auto count = boost::mp11::mp_size<detail::members_of<T>>::value;
    const char* names[count + 1] = {};
    size_t next = 0;
    boost::mp11::mp_for_each<detail::members_of<T>>([&](auto d) { names[next++] = d.name; });
    return detail::known_members(from, names, count, fault);
  }
};

namespace detail {

/// Whether T crosses; `Seen` are the structs around it, which a recursive one meets again.
template <class T, class... Seen>
struct crossing : std::false_type {};

template <class T, class... Seen>
requires(described<T> && (std::is_same_v<T, Seen> || ...)) struct crossing<T, Seen...>
    : std::true_type {
};

/// Whether all members of a described struct cross.
template <class List, class... Seen>
struct all_cross;

template <class T, class... Seen>
requires(described<T> && !(std::is_same_v<T, Seen> || ...)) struct crossing<T, Seen...>
    : all_cross<members_of<T>, T, Seen...> {
};

template <class T, class... Seen>
struct crossing<std::vector<T>, Seen...> : crossing<T, Seen...> {};
template <class... Seen>
struct crossing<std::vector<bool>, Seen...> : std::true_type {};
template <class T, class... Seen>
struct crossing<std::optional<T>, Seen...> : crossing<T, Seen...> {};
template <class T, class... Seen>
struct crossing<std::map<std::string, T>, Seen...> : crossing<T, Seen...> {};

template <class T, class... Seen>
requires(std::is_same_v<T, nat> || std::is_same_v<T, integer> || std::is_same_v<T, int64_t> ||
         std::is_same_v<T, double> || std::is_same_v<T, bool> || std::is_same_v<T, std::string> ||
         std::is_same_v<T, json> ||
         std::is_same_v<T, unit>) struct crossing<T, Seen...> : std::true_type {
};

/// The type that a member descriptor points to.
template <class Descriptor>
struct member_type;
template <class Descriptor>
requires requires { Descriptor::pointer; }
struct member_type<Descriptor> {
  template <class C, class M>
  static M of(M C::*);
  using type = decltype(of(Descriptor::pointer));
};

template <template <class...> class List, class... Descriptors, class... Seen>
struct all_cross<List<Descriptors...>, Seen...>
    : std::conjunction<crossing<typename member_type<Descriptors>::type, Seen...>...> {};

} // namespace detail

/// Whether values of T can be arguments, outputs and continuations.
template <class T>
inline constexpr bool crosses = detail::crossing<T>::value;

} // namespace caf_app::eval

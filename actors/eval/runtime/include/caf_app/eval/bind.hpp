// From a C++ function to a function_face. The generated code says
// `bind<nat(nat, nat), &math::add>("math.add", "nat(nat, nat)")`; the compiler has then checked
// that the function has exactly that signature.
#pragma once

#include <exception>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "caf_app/eval/codec.hpp"
#include "caf_app/eval/effects.hpp"
#include "caf_app/eval/function_face.hpp"
#include "caf_app/eval/results.hpp"

namespace caf_app::eval {

namespace detail {

/// "argument 2.items[3]: expected ..."
std::string sentence(const std::string& name, const decode_fault& fault);

/// The text of the exception that is being handled.
std::string current_error();

/// @returns why `value` may not leave a function
std::optional<std::string> too_deep(const json& value);

/// What a node holds that applies a function with result R, and what a producer of it is handed at
/// its next run (void: no producer).
template <class R>
struct result_of {
  using value = R;
  using continuation = void;
};
template <class T>
struct result_of<outcome<T>> {
  using value = T;
  using continuation = void;
};
template <class T, class C>
struct result_of<produced<T, C>> {
  using value = T;
  using continuation = C;
};

template <class... T>
struct types {};

/// The arguments that a graph gives. A producer (C is not void) has two more at its end, clock and
/// continuation, which come from the engine; without them it does not compile.
template <class List, class C>
struct strip_producer;
template <class... A>
struct strip_producer<types<A...>, void> {
  using arguments = types<A...>;
};
template <class C>
struct strip_producer<types<clock_ms, std::optional<C>>, C> {
  using arguments = types<>;
};
template <class A, class B, class D, class... Rest, class C>
struct strip_producer<types<A, B, D, Rest...>, C> {
  template <class... T>
  static types<A, T...> prepend(types<T...>);
  using arguments =
      decltype(prepend(typename strip_producer<types<B, D, Rest...>, C>::arguments{}));
};

/// What a signature says, `effects&` taken off the front; effect_set is void if there was none.
template <class R, class... A>
struct parts {
  using effect_set = void;
  using value = typename result_of<R>::value;
  using continuation = typename result_of<R>::continuation;
  using arguments = typename strip_producer<types<A...>, continuation>::arguments;
};

template <class Signature>
struct signature_of;
template <class R, class... A>
struct signature_of<R(A...)> : parts<R, A...> {};
template <class R, class... E, class... A>
struct signature_of<R(effects<E...>&, A...)> : parts<R, A...> {
  using effect_set = effects<E...>;
};

} // namespace detail

/// T as a type that crosses: accepts what its codec decodes.
template <class T>
class typed_value final : public value_type {
public:
  std::optional<std::string> accept(json& value, const std::string& name) const override {
    T decoded{};
    decode_fault fault;
    if (!codec<T>::decode(value, decoded, fault))
      return detail::sentence(name, fault);
    try {
      value = codec<T>::encode(decoded);
    } catch (...) {
      return name + ": " + detail::current_error();
    }
    return std::nullopt;
  }

  /// One per type, for plans to point to.
  static const typed_value& instance() {
    static const typed_value it;
    return it;
  }
};

/// The face of F. Whatever leaves it or a codec as an exception becomes the `error` of the result:
/// the text of a std::exception, with '?' for its bytes above 127 if it is not UTF-8.
template <class Signature, Signature* F>
class bound_function final : public function_face {
  using parts = detail::signature_of<Signature>;
  using value = typename parts::value;
  using continuation_value = typename parts::continuation;
  static constexpr bool produces = !std::is_void_v<continuation_value>;

public:
  bound_function(const char* name, const char* signature) : name_(name), signature_(signature) {}

  std::string_view name() const override { return name_; }
  std::string_view signature() const override { return signature_; }
  size_t arity() const override { return count(typename parts::arguments{}); }
  bool is_producer() const override { return produces; }
  const value_type& output() const override { return typed_value<value>::instance(); }

  const value_type* continuation() const override {
    if constexpr (produces)
      return &typed_value<continuation_value>::instance();
    else
      return nullptr;
  }

  evaluation call(effect_port& port, argument_list arguments) const override {
    if constexpr (produces) {
      return {{}, "a producer runs in graphs only"};
    } else {
      evaluation result;
      with_arguments(typename parts::arguments{}, arguments, result.error, [&](auto&&... decoded) {
        store(result, invoke(port, std::move(decoded)...));
      });
      return result;
    }
  }

  production produce(effect_port& port, argument_list arguments, int64_t now_ms,
                     const json* from) const override {
    production result;
    if constexpr (produces)
      with_arguments(typename parts::arguments{}, arguments, result.error, [&](auto&&... decoded) {
        std::optional<continuation_value> resume;
        decode_fault fault;
        if (from && !codec<continuation_value>::decode(*from, resume.emplace(), fault))
          result.error = detail::sentence("continuation", fault);
        else
          store(result, invoke(port, std::move(decoded)..., clock_ms{now_ms}, std::move(resume)));
      });
    return result;
  }

private:
  template <class... A>
  static constexpr size_t count(detail::types<A...>) {
    return sizeof...(A);
  }

  /// Decodes the arguments and hands them to `use`; whatever goes wrong becomes `error`.
  template <class... A, class Use>
  static void with_arguments(detail::types<A...>, argument_list from,
                             std::optional<std::string>& error, Use use) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      try {
        std::tuple<A...> decoded;
        decode_fault fault;
        size_t failed = 0;
        const bool ok =
            ((failed = I, codec<A>::decode(*from[I], std::get<I>(decoded), fault)) && ...);
        if (ok)
          use(std::get<I>(std::move(decoded))...);
        else
          error = detail::sentence("argument " + std::to_string(failed + 1), fault);
      } catch (...) {
        error = detail::current_error();
      }
    }
    (std::index_sequence_for<A...>{});
  }

  template <class... A>
  static auto invoke(effect_port& port, A&&... arguments) {
    if constexpr (std::is_void_v<typename parts::effect_set>) {
      return F(std::forward<A>(arguments)...);
    } else {
      typename parts::effect_set granted{port};
      return F(granted, std::forward<A>(arguments)...);
    }
  }

  static void store(evaluation& result, const value& output) {
    result.output = codec<value>::encode(output);
    result.error = detail::too_deep(result.output);
  }

  static void store(evaluation& result, const outcome<value>& output) {
    if (output.has_value())
      store(result, output.value());
    else
      result.error = output.error();
  }

  template <class T, class C>
  static void store(production& result, const produced<T, C>& run) {
    for (const T& output : run.values) {
      result.values.push_back(codec<T>::encode(output));
      result.error = detail::too_deep(result.values.back());
      if (result.error)
        return;
    }
    if (run.continuation) {
      result.continuation = codec<C>::encode(*run.continuation);
      result.error = detail::too_deep(*result.continuation);
    }
    if (run.next)
      result.next_ms = run.next->value;
  }

  const char* name_;
  const char* signature_;
};

/// @param name,signature as declared; literals
/// @returns a face of F, for the caller to keep: F may be declared under several names, and each of
///   them needs one of its own
template <class Signature, Signature* F>
bound_function<Signature, F> bind(const char* name, const char* signature) {
  return {name, signature};
}

/// The type of a node that applies a function of this signature.
template <class Signature>
using value_of = typename detail::signature_of<Signature>::value;

} // namespace caf_app::eval

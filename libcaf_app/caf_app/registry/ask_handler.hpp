// What waits for the answer to one ask: two functions of the caller, stored without an allocation
// while their captures are small.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <caf/detail/type_traits.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message.hpp>

#include "caf_app/base/error.hpp"

namespace caf_app {

namespace detail {

/// Calls `f` with the elements of a reply.
template <class ArgTypes>
struct reply_call;

template <class... Ts>
struct reply_call<caf::detail::type_list<Ts...>> {
  static bool matches(const caf::type_erased_tuple& content) {
    if constexpr (sizeof...(Ts) == 0)
      return content.empty();
    else
      return content.match_elements<std::decay_t<Ts>...>();
  }

  template <class F>
  static void invoke(F& f, caf::mailbox_element& reply) {
    invoke(f, reply.content(), std::index_sequence_for<Ts...>{});
  }

private:
  template <class T>
  static decltype(auto) element(caf::type_erased_tuple& content, size_t at) {
    using plain = std::decay_t<T>;
    if constexpr (std::is_lvalue_reference_v<T> && std::is_const_v<std::remove_reference_t<T>>)
      return content.get_as<plain>(at); // does not copy what others share
    else if constexpr (std::is_lvalue_reference_v<T>)
      return content.get_mutable_as<plain>(at);
    else
      return std::move(content.get_mutable_as<plain>(at));
  }

  template <class F, size_t... Is>
  static void invoke(F& f, caf::type_erased_tuple& content, std::index_sequence<Is...>) {
    f(element<Ts>(content, Is)...);
  }
};

/// A handler that takes a whole message accepts any reply.
template <>
struct reply_call<caf::detail::type_list<caf::message>> {
  static bool matches(const caf::type_erased_tuple&) { return true; }

  template <class F>
  static void invoke(F& f, caf::mailbox_element& reply) {
    f(reply.move_content_to_message());
  }
};

/// The error of a reply that nobody asked for.
caf::error unexpected_reply(const caf::type_erased_tuple& content);

} // namespace detail

/// Move-only; called at most once, with a reply or with a failure.
class ask_handler {
public:
  ask_handler() noexcept {} // not defaulted: that would clear the storage

  /// @param on_reply takes the elements of the reply, or one caf::message for any reply
  /// @param on_error takes caf::error&
  template <class OnReply, class OnError>
  ask_handler(OnReply on_reply, OnError on_error) {
    using pair = model<OnReply, OnError>;
    static_assert(std::is_nothrow_move_constructible_v<OnReply> &&
                      std::is_nothrow_move_constructible_v<OnError>,
                  "captures of ask handlers must be movable without exceptions");
    if constexpr (sizeof(pair) <= capacity && alignof(pair) <= alignof(std::max_align_t)) {
      new (storage_) pair{std::move(on_reply), std::move(on_error)};
      ops_ = &inline_ops<pair>;
    } else {
      *reinterpret_cast<pair**>(storage_) = new pair{std::move(on_reply), std::move(on_error)};
      ops_ = &heap_ops<pair>;
    }
  }

  ask_handler(ask_handler&& other) noexcept { steal(other); }

  ask_handler& operator=(ask_handler&& other) noexcept {
    if (this != &other) {
      destroy();
      steal(other);
    }
    return *this;
  }

  ~ask_handler() { destroy(); }

  /// Whether there is something to call.
  explicit operator bool() const noexcept { return ops_ != nullptr; }

  /// Hands the reply to the first function, or errc::unexpected_reply to the second.
  void reply(caf::mailbox_element& element) { ops_->reply(storage_, element); }

  /// Calls the second function.
  void fail(caf::error& reason) { ops_->fail(storage_, reason); }

private:
  static constexpr size_t capacity = 64;

  template <class OnReply, class OnError>
  struct model {
    void reply(caf::mailbox_element& element) {
      using call = detail::reply_call<typename caf::detail::get_callable_trait<OnReply>::arg_types>;
      if (call::matches(element.content())) {
        call::invoke(on_reply, element);
      } else {
        auto reason = detail::unexpected_reply(element.content());
        on_error(reason);
      }
    }
    void fail(caf::error& reason) { on_error(reason); }

    OnReply on_reply;
    OnError on_error;
  };

  struct operations {
    void (*reply)(void* storage, caf::mailbox_element& element);
    void (*fail)(void* storage, caf::error& reason);
    void (*move)(void* from, void* to) noexcept; // leaves nothing to destroy
    void (*destroy)(void* storage) noexcept;
  };

  template <class Pair>
  static constexpr operations inline_ops{
      [](void* at, caf::mailbox_element& element) { static_cast<Pair*>(at)->reply(element); },
      [](void* at, caf::error& reason) { static_cast<Pair*>(at)->fail(reason); },
      [](void* from, void* to) noexcept {
        new (to) Pair{std::move(*static_cast<Pair*>(from))};
        static_cast<Pair*>(from)->~Pair();
      },
      [](void* at) noexcept { static_cast<Pair*>(at)->~Pair(); },
  };

  template <class Pair>
  static constexpr operations heap_ops{
      [](void* at, caf::mailbox_element& element) { (*static_cast<Pair**>(at))->reply(element); },
      [](void* at, caf::error& reason) { (*static_cast<Pair**>(at))->fail(reason); },
      [](void* from, void* to) noexcept { *static_cast<Pair**>(to) = *static_cast<Pair**>(from); },
      [](void* at) noexcept { delete *static_cast<Pair**>(at); },
  };

  void steal(ask_handler& other) noexcept {
    ops_ = std::exchange(other.ops_, nullptr);
    if (ops_)
      ops_->move(other.storage_, storage_);
  }

  void destroy() noexcept {
    if (ops_)
      std::exchange(ops_, nullptr)->destroy(storage_);
  }

  alignas(std::max_align_t) std::byte storage_[capacity];
  const operations* ops_ = nullptr;
};

} // namespace caf_app

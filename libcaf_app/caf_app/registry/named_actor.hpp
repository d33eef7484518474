// What log lines call an actor that is a function without a state. CAF would call all of them
// "scheduled_actor"; one with a state has a member `name` in it instead.
#pragma once

#include <algorithm>
#include <cstddef>

#include <caf/stateful_actor.hpp>

#include "caf_app/registry/asking.hpp"

namespace caf_app {

/// A text as a template argument.
template <size_t Size>
struct actor_label {
  char text[Size];

  constexpr actor_label(const char (&x)[Size]) { std::copy(x, x + Size, text); }
};

template <actor_label Label>
struct label_state {
  static constexpr const char* name = Label.text;
};

/// `caf::behavior f(named_actor<"admin">* self)`; the self is an app_actor as well.
template <actor_label Label, class Base = app_actor>
using named_actor = caf::stateful_actor<label_state<Label>, Base>;

} // namespace caf_app

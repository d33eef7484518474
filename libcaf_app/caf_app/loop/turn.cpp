#include "caf_app/loop/turn.hpp"

#include <utility>

namespace caf_app {

namespace {

thread_local turn* current = nullptr;

} // namespace

turn::turn() noexcept : outermost_(current == nullptr) {
  if (outermost_)
    current = this;
}

turn::~turn() {
  if (!outermost_)
    return;
  current = nullptr; // what a listener does is no part of it
  for (const auto& who : listeners_)
    who->on_turn_end();
}

bool turn::put_off(std::shared_ptr<turn_listener> who) {
  if (!current)
    return false;
  current->listeners_.push_back(std::move(who));
  return true;
}

} // namespace caf_app

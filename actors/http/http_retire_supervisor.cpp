// What the web tier does as one of several processes at the same addresses: going without losing a
// connection, and spreading them. Steering itself is loop/reuseport_steer's.
#include <poll.h>

#include <algorithm>
#include <optional>

#include "actors/http/http_supervisor.hpp"
#include "actors/http/listener_actor.hpp"

namespace caf_app::http {

namespace {

constexpr int look_period_ms = 20;
constexpr std::chrono::seconds lock_patience{30}; // others leave one after the other
constexpr std::chrono::seconds leave_patience{10};

/// Looks again and again. @returns whether it became true in time
template <class F>
bool wait_for(std::chrono::milliseconds patience, F look) {
  for (auto left = patience; left.count() > 0; left -= std::chrono::milliseconds{look_period_ms}) {
    if (look())
      return true;
    ::poll(nullptr, 0, look_period_ms);
  }
  return look();
}

} // namespace

std::vector<int> http_service::listener::fds() const {
  std::vector<int> result;
  for (const auto& state : states)
    if (const auto socket = state->socket.load())
      result.push_back(socket->fd());
  return result;
}

http_service::listener_list http_service::tcp_listeners() const {
  const std::lock_guard guard{mutex_};
  std::vector<std::shared_ptr<listener>> result;
  for (const auto& [address, which] : listeners_)
    if (which->address.family() != AF_UNIX)
      result.push_back(which);
  return result;
}

/// Steers new connections away from all of them. @returns left if that worked
retirement http_service::steer_all(const listener_list& leaving, const leave_gate& gate,
                                   std::vector<steer_lock>& locks) {
  for (const auto& which : leaving) { // sorted by address: nobody waits in a circle
    std::optional<steer_lock> lock;
    wait_for(lock_patience, [&] {
      return gate.revoked() || (lock = steer_lock::take(which->address)).has_value();
    });
    if (gate.revoked())
      return retirement::revoked;
    const auto fds = which->fds();
    const auto steered = lock && !fds.empty()
                             ? steer_away(which->address, fds, *which->states.front()->probes)
                             : steer_result::failed;
    if (steered == steer_result::failed && !migrates_requests())
      return retirement::failed;
    if (lock)
      locks.push_back(std::move(*lock));
  }
  return retirement::left;
}

retirement http_service::retire(const std::shared_ptr<leave_gate>& gate) {
  {
    const std::lock_guard guard{mutex_};
    gate_ = gate;
  }
  const auto leaving = tcp_listeners();
  std::vector<steer_lock> locks;
  if (const auto steered = steer_all(leaving, *gate, locks); steered != retirement::left) {
    stay(leaving);
    return steered;
  }
  for (const auto& which : leaving) {
    for (const auto& state : which->states) {
      state->gate = gate;
      state->retires = true;
    }
    which->leave();
  }
  wait_for(leave_patience, [&] {
    return gate->revoked() || std::all_of(leaving.begin(), leaving.end(),
                                          [](const auto& which) { return which->has_left(); });
  });
  return gate->revoked() && stay(leaving) ? retirement::revoked : retirement::left;
}

/// Undoes what a retirement has done so far. @returns false if the node stops anyway
bool http_service::stay(const listener_list& leaving) {
  for (const auto& each : leaving)
    if (const auto own = each->fds(); !own.empty())
      stop_steering(own.front());
  const std::lock_guard guard{mutex_};
  if (draining_)
    return false;
  for (const auto& each : leaving)
    for (const auto& state : each->states) {
      state->retires = false;
      state->has_to_leave = false;
      state->gate = std::shared_ptr<leave_gate>{};
    }
  return true;
}

void http_service::attract(std::chrono::milliseconds window) {
  std::vector<steer_lock> locks;
  std::vector<int> steering;
  for (const auto& which : tcp_listeners()) {
    auto lock = steer_lock::take(which->address);
    const auto fds = which->fds();
    if (!lock || fds.empty() || which->states.front()->has_to_leave)
      continue; // somebody leaves: that matters more
    if (steer_here(which->address, fds, *which->states.front()->probes))
      steering.push_back(fds.front());
    locks.push_back(std::move(*lock));
  }
  if (!steering.empty())
    ::poll(nullptr, 0, static_cast<int>(window.count()));
  for (const auto fd : steering)
    stop_steering(fd);
}

void http_service::nudge(size_t count) {
  std::vector<std::shared_ptr<listener_place>> places;
  for (const auto& which : tcp_listeners())
    places.insert(places.end(), which->states.begin(), which->states.end());
  for (size_t i = 0; i < places.size(); ++i)
    places[i]->nudges += count / places.size() + (i < count % places.size() ? 1 : 0);
}

void http_service::share_rates(size_t processes) {
  for (size_t i = 0; i < contexts_.size(); ++i)
    options_.loops[i]->post([context = contexts_[i], shares = contexts_.size() * processes] {
      context->rates.set_shares(shares);
    });
}

void http_service::unsteer() {
  for (const auto& which : tcp_listeners())
    if (const auto lock = steer_lock::take(which->address))
      if (const auto fds = which->fds(); !fds.empty())
        stop_steering(fds.front());
}

} // namespace caf_app::http

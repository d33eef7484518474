// Leaving a port that other processes listen at too, without losing a connection: new ones are
// steered to the others first, then what is queued is accepted, and only then the socket closes.
// Closing at once resets what is queued, unless tcp_migrate_req is set.
//
//   lock -> count -> find the own indices -> steer -> check -> (the owner accepts, closes) ->
//   unlock
//
// All of it blocks for up to some seconds: not for loops.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "caf_app/loop/reuseport_filter.hpp"
#include "caf_app/loop/socket_address.hpp"

namespace caf_app {

/// Held by whoever steers connections of an address; one process of a network namespace at a time.
/// Ends with its process.
class steer_lock {
public:
  /// @returns nothing if somebody else holds it
  static std::optional<steer_lock> take(const socket_address& address);

  ~steer_lock();
  steer_lock(steer_lock&& other) noexcept;
  steer_lock& operator=(steer_lock&& other) noexcept;

private:
  explicit steer_lock(int fd) noexcept : fd_(fd) {}
  int fd_;
};

/// Tells which connections to oneself came in at a socket of this process. Thread safe.
class probe_book {
public:
  /// Waits for a connection from this port.
  void expect(uint16_t port);

  /// For who accepts: a connection from `port` has come in.
  /// @returns whether it is one that was expected; it needs no answer then
  bool note(uint16_t port) {
    return expecting_.load(std::memory_order_relaxed) && note_expected(port);
  }

  /// Waits until all of `ports` came in, or `timeout` is over, then forgets them.
  /// @returns for each whether it did
  std::vector<bool> collect(std::span<const uint16_t> ports, std::chrono::milliseconds timeout);

private:
  bool note_expected(uint16_t port);

  std::atomic<bool> expecting_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<uint16_t> expected_;
  std::set<uint16_t> seen_;
};

/// What came of steer_away().
enum class steer_result {
  alone,   ///< nobody else listens at the address: nothing to steer
  steered, ///< new connections go to the others
  failed,  ///< they may still come here
};

/// Steers new connections away from the sockets `fds`, all those of this process that listen at
/// `address`. Call it with the lock held.
/// @param probes has to be told of each connection that is accepted from them
steer_result steer_away(const socket_address& address, std::span<const int> fds,
                        probe_book& probes);

/// Steers new connections to one of the sockets of this process. @returns whether that worked
bool steer_here(const socket_address& address, std::span<const int> fds, probe_book& probes);

/// Lets the kernel choose again.
void stop_steering(int fd);

/// net.ipv4.tcp_migrate_req: whether a closing socket hands its queue to the others.
bool migrates_requests();

/// @returns connections that wait to be accepted, and how many may; zeroes if the kernel does not
/// tell
std::pair<uint32_t, uint32_t> accept_queue(int fd);

} // namespace caf_app

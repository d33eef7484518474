// The instances of a node as the scaler sees and moves them; what stands behind it starts
// processes. All functions from any thread, none blocks.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/scaler/samples.hpp"

namespace caf_app::scaler {

/// An instance as its keeper knows it.
struct instance_status {
  std::string name;
  unsigned number = 1; ///< 1 is the node itself
  std::string incarnation;
  instance_state state = instance_state::starting;
  steady::time_point started; ///< launched, or told to go
  bool listens = true;        ///< if it drains: can be taken back
};

/// What has happened since the last look.
struct fleet_events {
  bool start_failed = false;    ///< a newcomer did not get ready
  bool instance_failed = false; ///< one was given up: it crashed too often
  bool steer_failed = false;    ///< one that was told to go could not leave its port, and serves on
  std::vector<std::chrono::milliseconds> grown;   ///< from launch to readiness
  std::vector<std::chrono::milliseconds> retired; ///< from the order to the end
  uint64_t cut = 0; ///< requests that were open at the deadline of a retirement, as last told
};

/// Orders are not answered: list() and take_events() show what became of them.
class instance_fleet {
public:
  virtual ~instance_fleet() = default;

  /// Calls `wake`, on any thread, when a look is worthwhile: a sample of the node itself has come,
  /// or the first one of an instance. Null: nobody wants to know.
  virtual void on_news(std::function<void()> wake) = 0;

  /// The machine that they run on.
  virtual host_sample host(steady::time_point now) = 0;

  /// All of them, the node itself first.
  virtual std::vector<instance_status> list() = 0;

  /// The last sample of each, if it is newer than the last call.
  virtual std::vector<web_sample> samples() = 0;

  /// What has happened since the last call.
  virtual fleet_events take_events() = 0;

  /// Starts one more, with the lowest free number.
  virtual void launch() = 0;

  /// Tells one to go when its connections have finished, at the latest after `retire_deadline`.
  virtual void retire(const std::string& name) = 0;

  /// Takes back a retirement, if it is not too late.
  virtual void revoke(const std::string& name) = 0;

  /// Kills a process that does not answer any more; it is started again.
  virtual void replace(const std::string& name) = 0;

  /// Lets about so many connections of one end with their next response.
  virtual void nudge(const std::string& name, size_t count) = 0;

  /// Steers all new connections to one for so long.
  virtual void attract(const std::string& name, std::chrono::milliseconds window) = 0;
};

} // namespace caf_app::scaler

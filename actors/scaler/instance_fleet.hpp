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
  bool start_failed = false;
  bool instance_failed = false;
  bool steer_failed = false;
  std::vector<std::chrono::milliseconds> grown;   ///< from launch to readiness
  std::vector<std::chrono::milliseconds> retired; ///< from the order to the end
  uint64_t cut = 0; ///< instances that were killed at the deadline of their retirement
};

class instance_fleet {
public:
  virtual ~instance_fleet() = default;

  /// Calls `wake`, on any thread, when a look is worthwhile: a sample of the node itself has come,
  /// or the first one of an instance. Null: nobody wants to know.
  virtual void on_news(std::function<void()> wake) = 0;

  /// The machine that they run on.
  virtual host_sample host(steady::time_point now) = 0;

  virtual std::vector<instance_status> list() = 0;
  virtual std::vector<web_sample> samples() = 0;
  virtual fleet_events take_events() = 0;

  /// Starts one more, with the lowest free number.
  virtual void launch() = 0;
  virtual void retire(const std::string& name) = 0;

  /// Takes back a retirement, if it is not too late.
  virtual void revoke(const std::string& name) = 0;

  /// Kills a process that does not answer any more; it is started again.
  virtual void replace(const std::string& name) = 0;

  virtual void nudge(const std::string& name, size_t count) = 0;
  virtual void attract(const std::string& name, std::chrono::milliseconds window) = 0;
};

} // namespace caf_app::scaler

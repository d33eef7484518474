// The instances of another node: what that has reported last, and orders that go there as
// json_requests. fleet_actor is the other side. For one actor, no locks.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "actors/scaler/fleet_report.hpp"
#include "actors/scaler/instance_fleet.hpp"
#include "actors/scaler/scaler_board.hpp"
#include "caf_app/messages/json.hpp"

namespace caf_app::scaler {

/// Orders are sent once; whether they arrived is seen in the next report.
class remote_fleet final : public instance_fleet {
public:
  using speaker = std::function<void(const json_request& order)>;

  /// Where orders go from now on.
  void speak_through(speaker speak) { speak_ = std::move(speak); }

  /// Takes a report.
  /// @param board gets what its node has written down: the pin, the most instances
  /// @returns false if it cannot be read
  bool take(std::string_view report, scaler_board& board, steady::time_point now);

  /// Sends what the scaler shows, so that the node of the instances can be asked too.
  void show(const scaler_board& board);

  // -- instance_fleet ---------------------------------------------------------------------

  void on_news(std::function<void()>) override {} // reports come when they are asked for
  host_sample host(steady::time_point) override { return last_.host; }
  std::vector<instance_status> list() override { return last_.instances; }
  std::vector<web_sample> samples() override { return std::exchange(last_.samples, {}); }
  fleet_events take_events() override { return std::exchange(last_.events, {}); }
  void launch() override;
  void retire(const std::string& name) override;
  void revoke(const std::string& name) override;
  void replace(const std::string& name) override;
  void nudge(const std::string& name, size_t count) override;
  void attract(const std::string& name, std::chrono::milliseconds window) override;

private:
  void order(const std::string& method, const std::string& name, int64_t number = 0) const;

  fleet_report last_;
  speaker speak_;
  uint64_t shown_ = 0; // lines of the board's log so far
};

} // namespace caf_app::scaler

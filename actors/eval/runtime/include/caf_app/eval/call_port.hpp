// The effects of one call: what its policy grants, its log, and the way to whoever performs the
// rest.
#pragma once

#include <functional>
#include <string>

#include "caf_app/eval/effects.hpp"

namespace caf_app::eval {

/// Bytes of a call's log; more is cut, and a last line says so.
inline constexpr size_t log_bytes_max = size_t{1} << 20;

/// The port of one call. One thread.
class call_port final : public effect_port {
public:
  /// Performs an effect that was granted; throws effect_failed.
  using performer = std::function<json(effect, const json&)>;

  /// @param granted names as in policies, any case, checked by the caller: unknown ones grant
  /// nothing
  /// @param perform may be empty if neither HTTP nor FileSystem is granted
  call_port(const std::vector<std::string>& granted, performer perform);

  bool grants(effect what) const override { return granted_[static_cast<size_t>(what)]; }
  /// A line that is not UTF-8 becomes a remark.
  void log(std::string_view line) override;
  json perform(effect what, const json& request) override { return perform_(what, request); }

  /// The log so far; the next one starts empty.
  std::string take_log();

private:
  bool granted_[4] = {};
  performer perform_;
  std::string log_;
  bool cut_ = false;
};

} // namespace caf_app::eval

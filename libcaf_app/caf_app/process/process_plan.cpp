#include "caf_app/process/process_plan.hpp"

#include <cstring>

#include "caf_app/base/error.hpp"
#include "caf_app/base/units.hpp"

namespace caf_app {

namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> result;
  while (!line.empty()) {
    const auto end = std::min(line.find(' '), line.size());
    if (end > 0)
      result.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return result;
}

} // namespace

std::string to_string(const process_exit& how) {
  if (how.signal == 0)
    return "exit status " + std::to_string(how.status);
  const auto* name = ::sigabbrev_np(how.signal); // null: one without a name
  return "signal " + std::to_string(how.signal) + (name ? " (SIG" + std::string{name} + ")" : "");
}

std::string to_string(process_state state) {
  switch (state) {
    case process_state::waiting: return "waiting";
    case process_state::starting: return "starting";
    case process_state::ready: return "ready";
    case process_state::stopping: return "stopping";
    case process_state::ended: return "ended";
    case process_state::failed: return "failed";
  }
  return "";
}

process_plan::process_plan(const process_spec& spec, time_point now)
    : name_(spec.name), timing_(spec.timing),
      state_(spec.says_ready ? state::starting : state::ready) {
  if (spec.says_ready)
    due_ = now + timing_.start;
}

bool process_plan::on_line(std::string_view line) {
  if (state_ != state::starting)
    return false;
  auto words = words_of(line);
  if (words.size() < 2 || words[0] != "ready" || words[1] != name_)
    return false;
  words.erase(words.begin(), words.begin() + 2);
  addresses_ = std::move(words);
  state_ = state::ready;
  due_.reset();
  return true;
}

process_plan::step process_plan::stop(time_point now) {
  told_to_end_ = true;
  if (state_ != state::starting && state_ != state::ready)
    return step::none;
  state_ = state::stopping;
  due_ = now + timing_.stop;
  return step::terminate;
}

process_plan::step process_plan::on_time(time_point now) {
  if (!due_ || now < *due_)
    return step::none;
  due_.reset();
  if (state_ != state::starting && state_ != state::stopping)
    return step::none;
  state_ = state::killed;
  return step::kill;
}

caf::error process_plan::ended(const process_exit& how) {
  const auto never_ready = state_ == state::killed && !told_to_end_;
  state_ = state::ended;
  due_.reset();
  if (told_to_end_ || how.clean())
    return caf::none;
  if (never_ready)
    return caf::make_error(errc::start_failed, name_ + " did not say that it is ready within " +
                                                   std::to_string(timing_.start.count()) + " ms");
  return caf::make_error(errc::target_failed, name_ + " ended with " + to_string(how));
}

} // namespace caf_app

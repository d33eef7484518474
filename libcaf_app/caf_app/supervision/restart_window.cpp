#include "caf_app/supervision/restart_window.hpp"

bool caf_app::restart_window::admit(clock::time_point now) {
  while (!admitted_.empty() && now - admitted_.front() > period_)
    admitted_.pop_front();
  if (admitted_.size() == intensity_)
    return false;
  admitted_.push_back(now);
  return true;
}

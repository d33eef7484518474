#include "caf_app/eval/call_port.hpp"

#include <strings.h>

#include <utility>

#include "caf_app/eval/json_text.hpp"

namespace caf_app::eval {

call_port::call_port(const std::vector<std::string>& granted, performer perform)
    : perform_(std::move(perform)) {
  for (auto what : {effect::trace, effect::error, effect::http, effect::files})
    for (auto& name : granted)
      if (strcasecmp(name.c_str(), std::string{to_string(what)}.c_str()) == 0)
        granted_[static_cast<size_t>(what)] = true;
}

void call_port::log(std::string_view line) {
  static constexpr std::string_view last = "(the log was cut here)\n";
  if (cut_)
    return;
  if (log_.size() + line.size() + 1 + last.size() > log_bytes_max) {
    log_ += last;
    cut_ = true;
    return;
  }
  log_ += is_utf8(line) ? line : "(a line that is not UTF-8)";
  log_ += '\n';
}

std::string call_port::take_log() {
  cut_ = false;
  return std::exchange(log_, {});
}

} // namespace caf_app::eval

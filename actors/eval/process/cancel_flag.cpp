#include "actors/eval/process/cancel_flag.hpp"

#include <cstdint>

#include <sys/eventfd.h>
#include <unistd.h>

namespace caf_app::eval {

cancel_flag::cancel_flag() : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

void cancel_flag::raise() {
  const uint64_t one = 1;
  [[maybe_unused]] const auto n = ::write(event_.get(), &one, sizeof one);
}

} // namespace caf_app::eval

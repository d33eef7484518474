// A flag that a blocking job polls beside its other descriptors.
#pragma once

#include "actors/eval/process/child.hpp"

namespace caf_app::eval {

/// An eventfd; is raised once and stays so.
class cancel_flag {
public:
  cancel_flag();

  /// Any thread.
  void raise();

  /// Readable once the flag is raised.
  int fd() const noexcept { return event_.get(); }

private:
  owned_fd event_;
};

} // namespace caf_app::eval

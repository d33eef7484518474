// The workers of a loop: CAF's scheduler, and the way back.
#pragma once

#include <memory>

#include "actors/http/loop_context.hpp"
#include "caf_app/loop/event_loop.hpp"

namespace caf_app::http {

/// Runs work on the scheduler of the loop's system, and what follows from it on the loop, which
/// lives at least that long.
std::shared_ptr<worker_pool> make_loop_workers(event_loop& loop);

} // namespace caf_app::http

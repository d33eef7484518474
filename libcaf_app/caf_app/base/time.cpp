#include "caf_app/base/time.hpp"

namespace caf_app {

steady::time_point steady_now() { return steady::now(); }

wall::time_point wall_now() { return wall::now(); }

} // namespace caf_app

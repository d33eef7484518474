// Bounds of FastCGI; the others are in base/limits.hpp.
#pragma once

#include "caf_app/base/limits.hpp"

namespace caf_app::limits::http {

inline constexpr size_t script_head_bytes = 64 * kib;  ///< of a script's answer; beyond: 502
inline constexpr size_t script_fields = 200;           ///< of it
inline constexpr size_t script_error_bytes = 64 * kib; ///< of a request's stderr that are logged
inline constexpr seconds fastcgi_age{1};      ///< of a connection that is kept, see adr/0016
inline constexpr seconds fastcgi_idle{1};     ///< of one in stock
inline constexpr seconds fastcgi_farewell{1}; ///< of an aborted request
inline constexpr size_t scripts_found = 256;  ///< remembered per loop
inline constexpr seconds script_found_for{1}; ///< then it is looked for again

inline constexpr seconds fpm_status_period{1};       ///< between two questions, and for an answer
inline constexpr size_t fpm_status_bytes = 16 * kib; ///< of a status page

} // namespace caf_app::limits::http

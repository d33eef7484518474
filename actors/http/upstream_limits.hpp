// Bounds of proxying; the others are in base/limits.hpp.
#pragma once

#include "caf_app/base/limits.hpp"

namespace caf_app::limits::http {

inline constexpr size_t response_head_bytes = 32 * kib; ///< of an upstream; beyond: 502
inline constexpr size_t response_fields = 200;          ///< nginx has no limit, Envoy has 100
inline constexpr size_t interim_responses = 32;         ///< before a final one
inline constexpr seconds invitation_patience{1};     ///< of an upstream that has not said 100: ours
inline constexpr seconds name_age{30};               ///< then a server's name is looked up again
inline constexpr seconds name_age_suspect{1};        ///< of a server that failed last
inline constexpr milliseconds backlog_retry{5};      ///< a full Unix backlog: asked again, 1x to 3x
inline constexpr minutes tunnel_idle{10};            ///< without a byte in either direction
inline constexpr seconds tunnel_deadline{5};         ///< of WebSockets within a drain
inline constexpr size_t retry_seconds = 10;          ///< window of a retry budget (Finagle)
inline constexpr size_t retries_per_second_min = 10; ///< however few requests there are (Finagle)
inline constexpr seconds retry_after{1};             ///< what a refused client is told

static_assert(response_head_bytes <= direction_buffer_bytes, "a head fits a read buffer");
static_assert(tunnel_deadline < drain_deadline);

} // namespace caf_app::limits::http

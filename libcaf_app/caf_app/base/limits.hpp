// Every bound of the product that is no matter of taste: its name, its default and where it comes
// from. A limit that an operator may change is the default of a configuration key of the same
// meaning. Relations that the code relies on are asserted at the end.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace caf_app::limits {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

inline constexpr uint64_t kib = 1024;
inline constexpr uint64_t mib = 1024 * kib;

/// Configuration files: what a person would write, with room to spare.
namespace config {
inline constexpr uint64_t file_bytes_max = 1 * mib;
inline constexpr size_t errors_max = 50;  ///< reported at once; more only hide the first
inline constexpr size_t nesting_max = 32; ///< tables and arrays inside each other
inline constexpr size_t nodes_max = 1024;
inline constexpr size_t name_bytes_max = 64; ///< of a cluster, a node, an upstream
} // namespace config

/// Loop threads and their timer wheel.
namespace loop {
inline constexpr size_t threads_max = 256;
inline constexpr milliseconds tick{10}; ///< grain of every connection deadline: adr/0002
inline constexpr size_t read_buffer_bytes = 64 * kib;
inline constexpr uint64_t write_bytes_per_event = 1 * mib; ///< then the other sockets' turn
inline constexpr int backlog = 1024;                       ///< Linux caps it by net.core.somaxconn
} // namespace loop

/// Names, groups and asks.
namespace registry {
inline constexpr size_t name_bytes_max = 255; ///< of a name or a group
inline constexpr hours ask_timeout_max{24};   ///< longer ones are cut
} // namespace registry

/// Supervision; the defaults of Erlang/OTP where it has one.
namespace supervision {
inline constexpr size_t intensity = 3; ///< restarts within `period`
inline constexpr seconds period{5};
inline constexpr milliseconds backoff_first{100};
inline constexpr milliseconds backoff_max{30'000};
inline constexpr seconds child_shutdown_timeout{5};
inline constexpr seconds kill_grace{2}; ///< then a child that ignores `kill` is reported
} // namespace supervision

/// Links between nodes, membership and cluster names. The detector's values are Pekko's, faster by
/// half where a local network allows it.
namespace cluster {
inline constexpr size_t frame_bytes_max = 16 * mib; ///< body of a frame, chunks put together
inline constexpr size_t handshake_bytes_max =
    4 * kib;                                     ///< body of a frame before peers know each other
inline constexpr size_t chunk_bytes = 64 * kib;  ///< longer bodies travel in pieces
inline constexpr size_t batch_bytes = 128 * kib; ///< handed to a socket at once
inline constexpr size_t link_buffer_bytes = 64 * mib; ///< waiting for one peer
inline constexpr size_t secret_bytes_min = 16;
inline constexpr size_t secret_bytes_max = 4 * kib;
inline constexpr size_t handshakes_max = 256; ///< accepted and not proved yet; the oldest goes
inline constexpr seconds handshake_timeout{5};
inline constexpr seconds connect_timeout{5};
inline constexpr seconds stall_timeout{10}; ///< a peer that drains nothing for so long is cut
inline constexpr milliseconds backoff_first{100};
inline constexpr milliseconds backoff_max{5'000};
inline constexpr milliseconds heartbeat{500};
inline constexpr double phi_threshold = 8;
inline constexpr milliseconds acceptable_pause{3'000}; ///< silence of a busy but living peer
inline constexpr milliseconds reconnect_grace{2'000};  ///< from a closed connection to lost
inline constexpr milliseconds lease{2'000};          ///< how long an acknowledged heartbeat counts
inline constexpr milliseconds stable_after{5'000};   ///< without quorum: cluster names are given up
inline constexpr size_t dead_incarnations_kept = 16; ///< per node name
inline constexpr seconds pending_age_max{60};        ///< of requests that carry no deadline
} // namespace cluster

/// Child processes.
namespace process {
inline constexpr size_t line_bytes_max = 8 * kib; ///< of their output; longer lines are cut
inline constexpr seconds start_timeout{10};       ///< until the ready line
inline constexpr seconds stop_timeout{10};        ///< from SIGTERM to SIGKILL
inline constexpr seconds kill_grace{2};           ///< from SIGKILL to the end
inline constexpr size_t intensity = 5;            ///< restarts within `period`
inline constexpr seconds period{30};
} // namespace process

/// Stopping a node.
namespace shutdown {
inline constexpr seconds phase_timeout{10};
inline constexpr seconds hard_deadline{60}; ///< then the process ends, whoever is left
} // namespace shutdown

/// Asks through the admin listener and the control socket.
namespace admin {
inline constexpr seconds ask_timeout{5};
inline constexpr size_t token_bytes_min = 16;
} // namespace admin

/// HTTP. Values of nginx and Apache where they agree, else the smaller one that mainstream
/// clients survive.
namespace http {
inline constexpr size_t head_bytes = 32 * kib;          ///< head, and trailers
inline constexpr size_t fields = 100;                   ///< Apache's LimitRequestFields
inline constexpr size_t target_bytes = 8 * kib;         ///< nginx: large_client_header_buffers
inline constexpr size_t method_bytes = 32;              ///< longer ones are unknown anyway
inline constexpr uint64_t body_bytes = 10 * mib;        ///< a whole body
inline constexpr uint64_t body_bytes_actor = 1 * mib;   ///< of a request to a named actor
inline constexpr uint64_t body_memory_bytes = 64 * kib; ///< above it a whole body spools to a file
inline constexpr uint64_t chunk_extension_bytes = 4 * kib; ///< per body
inline constexpr size_t chunk_size_digits = 16;
inline constexpr size_t direction_buffer_bytes = 64 * kib; ///< per direction of an exchange
inline constexpr size_t connections = 10'000;
inline constexpr seconds first_byte_timeout{10};
inline constexpr seconds header_timeout{10};
inline constexpr seconds body_timeout{15};
inline constexpr uint64_t body_rate_min = 1 * kib; ///< bytes per second, after a grace of 5 s
inline constexpr seconds body_rate_grace{5};
inline constexpr seconds send_timeout{30};
inline constexpr seconds keepalive_idle{60};
inline constexpr size_t keepalive_requests = 10'000;
inline constexpr minutes connection_age{10};
inline constexpr seconds timeout{60}; ///< request read until response head
inline constexpr milliseconds shed_lag{500};
inline constexpr seconds linger{2};
inline constexpr uint64_t linger_bytes = 256 * kib;
inline constexpr seconds drain_deadline{30};
inline constexpr hours timeout_max{24}; ///< of any duration an operator may set
inline constexpr seconds handshake_timeout{5};
inline constexpr size_t handshakes = 256; ///< at once, then accepting pauses
inline constexpr hours ticket_rotate{12};
inline constexpr hours ticket_rotate_max{24 * 7}; ///< RFC 8446 §4.6.1: no ticket lives longer
inline constexpr uint32_t h2_streams = 100;       ///< RFC 9113 §6.5.2: not below 100
inline constexpr uint32_t h2_window_bytes = 64 * kib;
inline constexpr uint32_t h2_connection_window_bytes = 1 * mib;
inline constexpr uint32_t h2_window_bytes_max = 0x7fffffff; ///< RFC 9113 §6.9.1
inline constexpr seconds h2_settings_timeout{5};
} // namespace http

static_assert(http::target_bytes < http::head_bytes, "a target within its limit fits a head");
static_assert(http::method_bytes < http::target_bytes);
static_assert(http::head_bytes <= http::direction_buffer_bytes, "a head fits a read buffer");
static_assert(http::head_bytes <= loop::read_buffer_bytes);
static_assert(http::body_memory_bytes <= http::body_bytes_actor);
static_assert(http::body_bytes_actor <= http::body_bytes);
static_assert(http::linger_bytes <= http::body_bytes);
static_assert(http::body_rate_grace < http::body_timeout);
static_assert(http::handshake_timeout <= http::first_byte_timeout);
static_assert(http::h2_window_bytes <= http::h2_connection_window_bytes);
static_assert(http::h2_connection_window_bytes <= http::h2_window_bytes_max);
static_assert(http::linger < http::drain_deadline, "a lingering close ends before the drain does");
static_assert(http::drain_deadline < shutdown::hard_deadline, "a drain ends before the process");
static_assert(shutdown::phase_timeout < shutdown::hard_deadline);
static_assert(supervision::child_shutdown_timeout < shutdown::hard_deadline);
static_assert(supervision::backoff_first < supervision::backoff_max);
static_assert(cluster::handshake_bytes_max < cluster::chunk_bytes);
static_assert(cluster::chunk_bytes <= cluster::batch_bytes);
static_assert(cluster::batch_bytes <= cluster::frame_bytes_max);
static_assert(cluster::frame_bytes_max * 2 <= cluster::link_buffer_bytes);
static_assert(cluster::heartbeat * 3 <= cluster::lease, "a lease survives a lost beat");
static_assert(cluster::lease <= cluster::reconnect_grace, "no peer is lost while it holds a lease");
static_assert(cluster::lease <= cluster::acceptable_pause);
static_assert(loop::tick * 2 <= http::shed_lag, "a lag of two ticks can be told from none");

} // namespace caf_app::limits
